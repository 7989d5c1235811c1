/** When a rejected request may be tried once more (GW-10), and the first answer that is kept for the client meanwhile. */
import type { IncomingMessage } from "node:http";
import type { Mode } from "../engine/engine.ts";

/** Providers explain a rejection in a few hundred bytes; a longer answer is something else and streams on. */
const REJECTION_BYTES_MAX = 256 * 1024;

export function mayRetry(mode: Mode, request: IncomingMessage, answer: IncomingMessage): boolean {
  const rejected = answer.statusCode === 400 || answer.statusCode === 422;
  const length = Number(answer.headers["content-length"] ?? 0);
  // An Idempotency-Key promises that every request that carries it is the same request.
  return rejected && mode === "guard" && length <= REJECTION_BYTES_MAX && !("idempotency-key" in request.headers);
}

/** The answer's body, up to the limit. The stream is paused behind it, and `complete` where that was all. */
export function holdRejection(answer: IncomingMessage): Promise<Buffer[]> {
  const { promise, resolve } = Promise.withResolvers<Buffer[]>();
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= REJECTION_BYTES_MAX) return;
    answer.pause();
    answer.off("data", take);
    resolve(chunks);
  };
  answer.on("data", take);
  answer.on("error", () => {});
  answer.once("end", () => resolve(chunks));
  answer.once("close", () => resolve(chunks));
  return promise;
}
