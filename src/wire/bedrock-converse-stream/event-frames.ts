/** The binary frames of an AWS event stream: lengths, headers, a JSON payload, checksums. */
import { isObject, type JsonObject } from "../request.ts";
import { parseJsonObject } from "../response-body.ts";

export interface EventFrame {
  /** `:event-type`, or `:exception-type` where the stream ends with an error. */
  readonly type: string;
  readonly payload: JsonObject;
}

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** Frames up to the first one that is cut. Checksums are the client's business: it got the same bytes. */
export function readEventFrames(bytes: Uint8Array): readonly EventFrame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: EventFrame[] = [];
  let at = 0;
  while (at + PRELUDE_BYTES + CHECKSUM_BYTES <= bytes.length) {
    const end = at + view.getUint32(at);
    const payloadStart = at + PRELUDE_BYTES + view.getUint32(at + 4);
    if (end > bytes.length || payloadStart > end - CHECKSUM_BYTES) break;
    const type = typeIn(bytes.subarray(at + PRELUDE_BYTES, payloadStart));
    const payload = parseJsonObject(bytes.subarray(payloadStart, end - CHECKSUM_BYTES));
    if (isObject(payload)) frames.push({ type, payload });
    at = end;
  }
  return frames;
}

/** Type byte of a header value that is a string; AWS sends no other in these streams. */
const STRING_VALUE = 7;

function typeIn(headers: Uint8Array): string {
  const view = new DataView(headers.buffer, headers.byteOffset, headers.byteLength);
  for (let at = 0; at < headers.length; ) {
    const nameEnd = at + 1 + headers[at]!;
    if (nameEnd + 3 > headers.length || headers[nameEnd] !== STRING_VALUE) return "";
    const valueEnd = nameEnd + 3 + view.getUint16(nameEnd + 1);
    const name = latin1(headers, at + 1, nameEnd);
    if (name === ":event-type" || name === ":exception-type") return latin1(headers, nameEnd + 3, valueEnd);
    at = valueEnd;
  }
  return "";
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.max(0, end - start)).toString("latin1");
}
