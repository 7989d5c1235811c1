import { type AddressInfo, createServer } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { exchange, openRaw } from "./raw-client.ts";
import { setUp } from "./setup.ts";

const spellings: readonly [string, string | Buffer][] = [
  ["numbers that a parser would respell", '{"a":1.0,"b":1e3,"c":9223372036854775808,"d":-0,"e":0.1e-7}'],
  ["escapes", String.raw`{"a":"\u00e9\/\u2028\ud83d\ude00","b":"é/😀"}`],
  ["a lone surrogate", String.raw`{"a":"\ud83d"}`],
  ["duplicate keys", '{"a":1,"a":2,"messages":[],"messages":[1]}'],
  ["keys that look like indexes", '{"b":1,"10":1,"9":1,"__proto__":{"x":1}}'],
  ["odd whitespace", '\n\t{ "a" :\r\n [ 1 ,2 ] }  \n\n'],
  ["no JSON at all", '{"a": nope'],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
  ["nothing", ""],
];

const codings: readonly [string, (body: Buffer) => Buffer][] = [
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
];

const post = (...headers: string[]) => [
  "POST /anthropic/v1/messages?beta=true HTTP/1.1",
  "Host: localhost",
  ...headers,
];

test.each(spellings)("GW-3 the upstream gets the client's bytes: %s", async (_, text) => {
  const { gateway, upstream, engine } = await setUp();
  const body = Buffer.from(text);
  await exchange(gateway.port, post("Content-Type: application/json", `Content-Length: ${body.length}`), body);
  expect(upstream.received.map((request) => request.body)).toEqual([body]);
  expect(engine.requests.map((request) => Buffer.from(request.body))).toEqual([body]);
});

test.each(codings)("GW-3 a body stays compressed as sent and is looked at in a copy: %s", async (coding, compress) => {
  const { gateway, upstream, engine } = await setUp();
  const plain = Buffer.from('{"model":"m","messages":[1.0]}');
  const body = compress(plain);
  const head = post("content-type: application/json", `Content-Encoding: ${coding}`, `Content-Length: ${body.length}`);
  await exchange(gateway.port, head, body);
  expect(upstream.received[0]?.body).toEqual(body);
  expect(upstream.received[0]?.head).toContain(`Content-Encoding: ${coding}`);
  expect(Buffer.from(engine.requests[0]!.body)).toEqual(plain);
});

test.each([
  ["gzip", Buffer.from("not gzip")],
  ["gzip", gzipSync('{"a":1}').subarray(0, 12)],
  ["lzma", Buffer.from("{}")],
  ["gzip", gzipSync(Buffer.alloc(65 * 1024 * 1024))],
])("GW-3 a body that cannot be inflated passes unread and is counted: %s", async (coding, body) => {
  const { gateway, upstream, engine } = await setUp();
  const head = post("content-type: application/json", `Content-Encoding: ${coding}`, `Content-Length: ${body.length}`);
  await exchange(gateway.port, head, body);
  expect(upstream.received[0]?.body).toEqual(body);
  expect(engine.requests).toEqual([]);
  expect(engine.counted("gateway_unread", { reason: "encoding" })).toBe(1);
});

test("GW-3 a chunked body is sent on chunked", async () => {
  const { gateway, upstream, engine } = await setUp();
  const head = post("Content-Type: application/json", "Transfer-Encoding: chunked");
  await exchange(gateway.port, head, '2\r\n{ \r\n5\r\n"a":1\r\n1\r\n}\r\n0\r\n\r\n');
  expect(upstream.received[0]?.body.toString()).toBe('{ "a":1}');
  expect(upstream.received[0]?.head).toContain("Transfer-Encoding: chunked");
  expect(upstream.received[0]?.head).not.toMatch(/content-length/i);
  expect(Buffer.from(engine.requests[0]!.body).toString()).toBe('{ "a":1}');
});

test("GW-3 the request line and every end-to-end header arrive as spelled, in order, with duplicates", async () => {
  const { gateway, upstream } = await setUp();
  const endToEnd = [
    "content-TYPE: application/json; charset=utf-8",
    "X-Api-Key: sk-ant-planted",
    "authorization: Bearer planted",
    "anthropic-beta: a",
    "anthropic-beta: b,c",
    "Cookie: a=1",
    "Cookie: b=2",
    "X-Latin: \u00e9",
    "Accept-Encoding: gzip, br",
    "Content-Length: 2",
  ];
  const { socket, until } = await openRaw(gateway.port);
  const target = "/anthropic/v1//a/../b%2Fc;x?beta=true&q=%20+";
  const head = [`POST ${target} HTTP/1.1`, "HOST: localhost:1234", ...endToEnd, "x-holdfast-token: t"];
  socket.write(Buffer.from(`${head.join("\r\n")}\r\n\r\n{}`, "latin1"));
  await until('{"ok":true}');
  socket.destroy();
  const host = upstream.url.replace("http://", "");
  expect(upstream.received[0]?.head.split("\r\n")).toEqual([
    "POST /v1//a/../b%2Fc;x?beta=true&q=%20+ HTTP/1.1",
    `HOST: ${host}`,
    ...endToEnd,
  ]);
});

test("GW-3 a client that asks before it uploads is told to go on", async () => {
  const { gateway, upstream } = await setUp();
  const client = await openRaw(gateway.port);
  const head = post("Content-Type: application/json", "Expect: 100-continue", "Content-Length: 2");
  client.socket.write(`${head.join("\r\n")}\r\n\r\n`);
  await client.until("100 Continue");
  client.socket.write("{}");
  await client.until('{"ok":true}');
  client.socket.destroy();
  expect(upstream.received[0]?.body.toString()).toBe("{}");
});

test("GW-3 the requests of one connection stay apart and in order", async () => {
  const { gateway, upstream } = await setUp({
    answer: (request, socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${request.body.length}\r\n\r\n${request.body}`),
  });
  const client = await openRaw(gateway.port);
  const one = (body: string) =>
    `${post("Content-Type: application/json", `Content-Length: ${body.length}`).join("\r\n")}\r\n\r\n${body}`;
  client.socket.write(one("[1]") + one("[22]") + one("[333]"));
  const text = (await client.until("[333]")).toString();
  client.socket.destroy();
  expect(text.match(/\[\d+\]/g)).toEqual(["[1]", "[22]", "[333]"]);
  expect(upstream.received.map(({ body }) => body.toString()).toSorted((a, b) => a.length - b.length)).toEqual([
    "[1]",
    "[22]",
    "[333]",
  ]);
});

test("GW-5 the answer to HEAD keeps its length and has no body", async () => {
  const { gateway } = await setUp({
    answer: (_, socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"),
  });
  const answer = await exchange(gateway.port, ["HEAD /anthropic/x HTTP/1.1", "Host: localhost"]);
  expect(answer.headers).toContain("Content-Length: 99");
  expect(answer.body).toHaveLength(0);
});

test("GW-7 memory of a body is used again only when its exchange has ended", async () => {
  const lookedAt: string[] = [];
  const { gateway, upstream, engine } = await setUp({
    engine: {
      observeResponse(checked, response) {
        lookedAt.push(Buffer.from(checked.body).toString());
        return { status: response.status, usage: null, rejection: null };
      },
    },
  });
  const bodies = Array.from("abcdef", (letter) => JSON.stringify(letter.repeat(300_000)));
  const send = (body: string) =>
    exchange(gateway.port, post("Content-Type: application/json", `Content-Length: ${body.length}`), body);
  for (const body of bodies.slice(0, 3)) await send(body);
  await Promise.all(bodies.slice(3).map(send));
  expect(lookedAt.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(bodies);
  expect(upstream.received.map(({ body }) => body.toString()).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(bodies);
  const blocks = new Set(engine.requests.map(({ body }) => body.buffer));
  expect(blocks.size).toBeLessThan(bodies.length);
});

test("GW-7 memory of a body that an upstream answers before it has read it is not used again", async () => {
  const early = createServer((socket) => {
    socket.on("error", () => {});
    socket.pause();
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  await new Promise<void>((resolve) => early.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void early.close());
  const { port } = early.address() as AddressInfo;
  const { gateway, engine } = await setUp({ upstreams: [{ name: "anthropic", url: `http://127.0.0.1:${port}` }] });
  // More than the buffers of the sockets between the two take.
  const body = JSON.stringify("a".repeat(20_000_000));
  const head = post("Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close");
  await exchange(gateway.port, head, body);
  await exchange(gateway.port, head, body);
  expect(new Set(engine.requests.map((request) => request.body.buffer)).size).toBe(2);
});
