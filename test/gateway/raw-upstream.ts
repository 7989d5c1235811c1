/**
 * An upstream that keeps what it receives as bytes of the wire, not as some parser's idea of them, and answers with the
 * bytes that a test gives it.
 */
import { createServer, type Socket } from "node:net";

export interface ReceivedRequest {
  /** Request line and headers as they stood, without the empty line. */
  readonly head: string;
  /** The body as framed: with chunk sizes where it is chunked. */
  readonly framed: Buffer;
  /** The body without its framing. */
  readonly body: Buffer;
}

export interface RawUpstream {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** Connections that were ever opened, and how many of them are gone. */
  readonly connections: { opened: number; closed: number };
  close(): Promise<void>;
}

export type RawAnswer = (request: ReceivedRequest, socket: Socket, index: number) => void;

export const okAnswer: RawAnswer = (_, socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"ok":true}');
};

export async function startRawUpstream(answer: RawAnswer = okAnswer): Promise<RawUpstream> {
  const received: ReceivedRequest[] = [];
  const connections = { opened: 0, closed: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections.opened++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      connections.closed++;
      sockets.delete(socket);
    });
    let pending = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (let request = takeRequest(pending); request !== null; request = takeRequest(pending)) {
        pending = pending.subarray(request.bytes);
        received.push(request.request);
        answer(request.request, socket, received.length - 1);
      }
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    connections,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

/** The first whole request in `bytes`. */
function takeRequest(bytes: Buffer): { request: ReceivedRequest; bytes: number } | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const head = bytes.toString("latin1", 0, headEnd);
  const bodyStart = headEnd + 4;
  const length = /^content-length:[ \t]*(\d+)/im.exec(head)?.[1];
  if (/^transfer-encoding:.*chunked/im.test(head)) return takeChunked(bytes, head, bodyStart);
  const end = bodyStart + Number(length ?? 0);
  if (bytes.length < end) return null;
  const body = bytes.subarray(bodyStart, end);
  return { request: { head, framed: body, body }, bytes: end };
}

function takeChunked(
  bytes: Buffer,
  head: string,
  bodyStart: number,
): { request: ReceivedRequest; bytes: number } | null {
  const chunks: Buffer[] = [];
  let at = bodyStart;
  while (true) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const chunkEnd = lineEnd + 2 + size + 2;
    if (bytes.length < chunkEnd) return null;
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = chunkEnd;
    if (size === 0) break;
  }
  return { request: { head, framed: bytes.subarray(bodyStart, at), body: Buffer.concat(chunks) }, bytes: at };
}
