import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { relayResponse } from "./relay.ts";

test("GW-5 what waits in our buffer when the upstream dies still reaches a slow client", async () => {
  const upstream = createServer();
  const upstreamPort = await listen(upstream);
  const relay = createServer();
  const relayPort = await listen(relay);

  const client = connect(relayPort, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  client.pause();
  const [, to] = (await once(relay, "request")) as [IncomingMessage, ServerResponse];
  get({ port: upstreamPort, host: "127.0.0.1" })
    .on("error", () => {})
    .once("response", (response) => {
      from = response;
      complete = relayResponse(response, to, [], () => {});
    });
  let from: IncomingMessage | undefined;
  let complete: Promise<boolean> | undefined;
  const [, answer] = (await once(upstream, "request")) as [IncomingMessage, ServerResponse];
  const socket = answer.socket as Socket;
  let sent = 0;
  const send = (bytes: number) => {
    answer.write(Buffer.alloc(bytes, "~"));
    sent += bytes;
  };
  answer.writeHead(200, { "content-type": "text/plain" });
  // Small pieces, until the client's connection takes no more and the relay pauses the upstream.
  while (!from?.isPaused()) {
    send(8 * 1024);
    await new Promise((resolve) => setImmediate(resolve));
  }
  send(8 * 1024);
  socket.destroySoon();
  expect(await complete).toBe(false);

  const received: Buffer[] = [];
  client.on("data", (bytes: Buffer) => received.push(bytes));
  client.resume();
  await once(client, "close");
  expect(Buffer.concat(received).filter((byte) => byte === 0x7e).length).toBe(sent);
});

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
