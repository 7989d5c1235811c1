import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** The largest request that the real APIs take is 32 MB; the rest is room for a test of that limit. */
const bodyBytesMax = 64 * 1024 * 1024;

/** The bytes as sent. @throws Error where the client sends more than `bodyBytesMax` or ends early */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > bodyBytesMax) throw new Error(`the request is larger than ${bodyBytesMax} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** The body as JSON; undefined where it cannot be inflated or parsed. */
export function parseBody(body: Buffer, encoding: string | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(inflate(body, encoding)));
  } catch {
    // Bad bytes are something that clients do; the endpoint answers them with the API's own error.
    return undefined;
  }
}

function inflate(body: Buffer, encoding: string | undefined): Buffer {
  const limit = { maxOutputLength: bodyBytesMax };
  if (encoding === "gzip") return gunzipSync(body, limit);
  if (encoding === "deflate") return inflateSync(body, limit);
  if (encoding === "br") return brotliDecompressSync(body, limit);
  return encoding === "zstd" ? zstdDecompressSync(body, limit) : body;
}
