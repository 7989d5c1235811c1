/** A copy of a response for the engine (GW-5): bounded, and made plain only when the client has its bytes already. */
import { inflateCopy } from "./inflate.ts";

/** Text of the longest answer is about a tenth of this; what is longer holds images, and loses its usage numbers. */
const RESPONSE_COPY_BYTES_MAX = 16 * 1024 * 1024;

export interface ResponseCopy {
  /** Bound, so that it can be given as a listener. */
  readonly add: (chunk: Buffer) => void;
  cut(): boolean;
  /** Plain bytes; empty where the coding is not known or damaged. */
  inflated(encoding: string | undefined): Promise<Uint8Array>;
}

/** @param wanted false where nobody will look: then nothing is kept */
export function createResponseCopy(wanted: boolean): ResponseCopy {
  const chunks: Buffer[] = [];
  let size = 0;
  let cut = false;
  return {
    add(chunk) {
      if (!wanted || cut) return;
      if (size + chunk.length > RESPONSE_COPY_BYTES_MAX) {
        cut = true;
        return;
      }
      chunks.push(chunk);
      size += chunk.length;
    },
    cut: () => cut,
    async inflated(encoding) {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
      return (await inflateCopy(bytes, encoding, RESPONSE_COPY_BYTES_MAX, true)) ?? new Uint8Array();
    },
  };
}
