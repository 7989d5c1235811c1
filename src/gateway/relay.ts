/** Streams a response to the client as it arrives (GW-5). A tap sees every chunk; it can neither change nor delay one. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { toClientHeaders } from "./headers.ts";

/**
 * @param start bytes of the body that were read before the decision to relay
 * @param tap is given every chunk, `start` included
 * @returns whether the response was complete; if not, the client's connection has ended in the same place
 */
export function relayResponse(
  from: IncomingMessage,
  to: ServerResponse,
  start: readonly Buffer[],
  tap: (chunk: Buffer) => void,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  writeHead(from, to);
  for (const chunk of start) {
    tap(chunk);
    to.write(chunk);
  }
  if (from.readableEnded || from.destroyed) {
    endLike(from, to);
    resolve(from.complete);
    return promise;
  }
  from.on("data", tap);
  from.pipe(to);
  from.once("end", () => resolve(true));
  from.once("close", () => {
    if (from.complete) return;
    // What arrived while the client was slow is still in the stream's buffer.
    const rest = from.read() as Buffer | null;
    if (rest !== null) {
      tap(rest);
      to.write(rest);
    }
    endLike(from, to);
    resolve(false);
  });
  from.on("error", () => {});
  to.once("close", () => resolve(false));
  return promise;
}

function writeHead(from: IncomingMessage, to: ServerResponse): void {
  // The upstream's own date, or none.
  to.sendDate = false;
  to.writeHead(from.statusCode ?? 502, from.statusMessage, toClientHeaders(from.rawHeaders));
  // A stream may be silent for a long time after its head; a body of known length follows at once.
  if (from.headers["content-length"] === undefined) to.flushHeaders();
}

/** A response that was cut off ends the connection behind its last byte, without the mark of a complete body. */
function endLike(from: IncomingMessage, to: ServerResponse): void {
  if (from.complete) to.end();
  else if (to.socket === null) to.destroy();
  else to.socket.destroySoon();
}
