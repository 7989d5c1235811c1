/** A client that writes bytes and reads bytes, so that nothing between the test and the gateway tidies them up. */
import { connect, type Socket } from "node:net";

export interface RawConnection {
  readonly socket: Socket;
  /** Everything that has arrived. */
  received(): Buffer;
  /** Waits until what has arrived contains `text`. */
  until(text: string): Promise<Buffer>;
  /** Waits for the end of the connection; the bytes that arrived before it. */
  ended(): Promise<Buffer>;
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: "127.0.0.1" });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await Promise.race([new Promise((resolve) => socket.once("connect", resolve)), closed]);
  const received = () => Buffer.concat(chunks);
  return {
    socket,
    received,
    async until(text) {
      while (!received().includes(text)) {
        if (socket.closed) throw new Error(`the connection ended before ${JSON.stringify(text)}: ${received()}`);
        await Promise.race([new Promise((resolve) => socket.once("data", resolve)), closed]);
      }
      return received();
    },
    async ended() {
      await closed;
      return received();
    },
  };
}

export interface RawAnswer {
  readonly statusLine: string;
  readonly headers: string;
  readonly body: Buffer;
}

/** One request on a connection of its own; the gateway is asked to close it behind the answer. */
export async function exchange(
  port: number,
  head: readonly string[],
  body: Uint8Array | string = "",
): Promise<RawAnswer> {
  const { socket, ended } = await openRaw(port);
  socket.write(`${[...head, "Connection: close"].join("\r\n")}\r\n\r\n`);
  socket.write(body);
  const bytes = await ended();
  const end = bytes.indexOf("\r\n\r\n");
  const [statusLine = "", ...headers] = bytes.toString("latin1", 0, end).split("\r\n");
  return { statusLine, headers: headers.join("\r\n"), body: bytes.subarray(end + 4) };
}
