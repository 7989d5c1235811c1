/**
 * Reads the bodies that the engine may want to see; lets every other one stream through unread (GW-6, GW-7).
 */
import type { IncomingMessage } from "node:http";
import { isSigned } from "../engine/sealed-body.ts";
import type { BodyMemory } from "./body-memory.ts";

/** Above this no provider takes a request, and looking at it would cost more than it can save. */
export const BODY_BYTES_MAX = 64 * 1024 * 1024;

export type UnreadReason = "method" | "content_type" | "signature" | "too_large" | "memory" | "encoding";

export type BodyRead =
  /** The bytes may come from `BodyMemory`, and go back there when nobody looks at them any more. */
  | { readonly kind: "collected"; readonly bytes: Buffer }
  /** `start` is what was read before the limit was met; the rest is still in the request stream. */
  | { readonly kind: "unread"; readonly reason: UnreadReason; readonly start: readonly Buffer[] }
  /** The client left in the middle of its upload. */
  | { readonly kind: "cut" };

/** What is there to be sent on. */
export type WholeRead = Exclude<BodyRead, { readonly kind: "cut" }>;

export async function readBody(request: IncomingMessage, memory: BodyMemory): Promise<BodyRead> {
  const length = contentLength(request);
  const reason = whyUnread(request, length);
  if (reason !== null) return { kind: "unread", reason, start: [] };
  if (!memory.reserve(length ?? 0)) return { kind: "unread", reason: "memory", start: [] };
  return length === null ? await collectChunked(request, memory) : await collectSized(request, length, memory);
}

function contentLength(request: IncomingMessage): number | null {
  const header = request.headers["content-length"];
  return header === undefined ? null : Number(header);
}

function whyUnread(request: IncomingMessage, length: number | null): UnreadReason | null {
  if (request.method !== "POST") return "method";
  if (!isJson(request.headers["content-type"])) return "content_type";
  if (isSigned(request.headers)) return "signature";
  if (length !== null && length > BODY_BYTES_MAX) return "too_large";
  return null;
}

function isJson(contentType: string | undefined): boolean {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return type === "application/json" || type.endsWith("+json");
}

function collectSized(request: IncomingMessage, length: number, memory: BodyMemory): Promise<BodyRead> {
  const { promise, resolve } = Promise.withResolvers<BodyRead>();
  let bytes: Buffer | null = null;
  let at = 0;
  request.on("data", (chunk: Buffer) => {
    // Most small bodies arrive in one piece, which then needs no copy.
    if (bytes === null && chunk.length === length) bytes = chunk;
    else {
      bytes ??= memory.allocate(length);
      chunk.copy(bytes, at);
    }
    at += chunk.length;
  });
  request.once("end", () => resolve({ kind: "collected", bytes: bytes ?? Buffer.alloc(0) }));
  whenCut(request, () => {
    memory.release(length);
    resolve({ kind: "cut" });
  });
  return promise;
}

function collectChunked(request: IncomingMessage, memory: BodyMemory): Promise<BodyRead> {
  const { promise, resolve } = Promise.withResolvers<BodyRead>();
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    const reason = size + chunk.length > BODY_BYTES_MAX ? "too_large" : memory.reserve(chunk.length) ? null : "memory";
    if (reason === null) {
      size += chunk.length;
      return;
    }
    request.pause();
    request.off("data", take);
    memory.release(size);
    size = 0;
    resolve({ kind: "unread", reason, start: chunks });
  };
  request.on("data", take);
  request.once("end", () => resolve({ kind: "collected", bytes: Buffer.concat(chunks, size) }));
  whenCut(request, () => {
    memory.release(size);
    resolve({ kind: "cut" });
  });
  return promise;
}

/** Calls back if the connection ends before the body does. */
function whenCut(request: IncomingMessage, cut: () => void): void {
  request.once("close", () => {
    if (!request.complete) cut();
  });
  // The reason of a broken connection is of no use to anyone; the event needs a listener all the same.
  request.on("error", () => {});
}
