import { expect, test } from "vitest";
import { openRaw } from "./raw-client.ts";
import { setUp } from "./setup.ts";
import { until } from "./until.ts";

const handshake = [
  "GET /openai/v1/responses?x=1 HTTP/1.1",
  "Host: localhost",
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-KEY: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Protocol: a, b",
  "Authorization: Bearer k",
];
const handshakeText = `${handshake.join("\r\n")}\r\n\r\n`;
const accepted =
  "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-ACCEPT: x\r\n\r\n";

async function setUpSocket(answer: string, keep = true) {
  const echoed: string[] = [];
  const setup = await setUp({
    answer: (_, socket) => {
      socket.removeAllListeners("data");
      socket.on("data", (bytes) => {
        echoed.push(bytes.toString("latin1"));
        socket.write(bytes);
      });
      socket.write(answer);
      if (!keep) socket.end();
    },
  });
  // The raw upstream stands where OpenAI is.
  return { ...setup, echoed };
}

test("GW-6 a WebSocket passes both ways, its handshake as spelled", async () => {
  const { gateway, upstream, engine, echoed } = await setUpSocket(`${accepted}hello`);
  const client = await openRaw(gateway.port);
  client.socket.write(handshakeText.replace("/openai", "/local"));
  expect((await client.until("hello")).toString()).toBe(`${accepted}hello`);
  expect(upstream.received[0]?.head.split("\r\n")).toEqual([
    "GET /base/v1/v1/responses?x=1 HTTP/1.1",
    `Host: ${upstream.url.slice(7)}`,
    ...handshake.slice(2),
  ]);
  client.socket.write(Buffer.from("\x81\x05frame\xff", "latin1"));
  await client.until("frame");
  expect(echoed).toEqual(["\x81\x05frame\xff"]);
  expect(engine.counted("gateway_unread", { reason: "websocket" })).toBe(1);
  client.socket.destroy();
  await until(() => expect(upstream.connections).toEqual({ opened: 1, closed: 1 }));
});

test("GW-6 bytes that follow the handshake at once are not lost", async () => {
  const { gateway, echoed } = await setUpSocket(accepted);
  const client = await openRaw(gateway.port);
  client.socket.write(`${handshakeText.replace("/openai", "/local")}early`);
  await client.until("early");
  expect(echoed.join("")).toBe("early");
  client.socket.destroy();
});

test("GW-6 an upstream that ends a WebSocket ends the client's", async () => {
  const { gateway } = await setUpSocket(`${accepted}bye`, false);
  const client = await openRaw(gateway.port);
  client.socket.write(handshakeText.replace("/openai", "/local"));
  expect((await client.ended()).toString()).toContain("bye");
});

test("GW-6 a refused handshake is passed on as the answer that it is", async () => {
  const { gateway } = await setUpSocket("HTTP/1.1 426 Upgrade Required\r\nX-Why: no\r\nContent-Length: 2\r\n\r\nno");
  const client = await openRaw(gateway.port);
  client.socket.write(handshakeText.replace("/openai", "/local"));
  const text = (await client.ended()).toString();
  expect(text).toMatch(/^HTTP\/1.1 426 Upgrade Required\r\nX-Why: no\r\n/);
  expect(text).toMatch(/no$/);
});

test("GW-7 a WebSocket to an upstream that is gone is a 502", async () => {
  const { gateway, upstream } = await setUp();
  await upstream.close();
  const client = await openRaw(gateway.port);
  client.socket.write(handshakeText.replace("/openai", "/local"));
  expect((await client.ended()).toString()).toContain("x-holdfast-error: upstream_unreachable");
});

test.each([
  ["a foreign Host", "Host: localhost", "Host: evil.example", "403"],
  ["a foreign Origin", "Host: localhost", "Host: localhost\r\nOrigin: https://evil.example", "403"],
  ["an unknown upstream", "/openai", "/nobody", "404"],
  ["a path of our own", "/openai/v1/responses?x=1", "/api/status", "404"],
])("GW-2 a WebSocket with %s is refused", async (_, from, to, status) => {
  const { gateway, upstream } = await setUp();
  const client = await openRaw(gateway.port);
  client.socket.write(handshakeText.replace(from, to));
  expect((await client.ended()).toString()).toContain(`HTTP/1.1 ${status}`);
  expect(upstream.received).toEqual([]);
});

test("GW-6 an offer of another protocol is ignored, and the request is an ordinary one", async () => {
  const { gateway, upstream, engine } = await setUp();
  const head = [
    "POST /local/x HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/json",
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABk",
    "Content-Length: 2",
  ];
  const client = await openRaw(gateway.port);
  client.socket.write(`${head.join("\r\n")}\r\n\r\n{}`);
  await client.until('{"ok":true}');
  client.socket.destroy();
  expect(engine.requests).toHaveLength(1);
  expect(upstream.received[0]?.body.toString()).toBe("{}");
  expect(upstream.received[0]?.head).not.toMatch(/upgrade|http2/i);
});
