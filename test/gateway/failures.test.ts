import { createServer } from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../src/gateway/log.ts";
import { startGateway } from "../../src/gateway/serve.ts";
import { admit, createPassThroughEngine, repaired } from "./pass-through-engine.ts";
import { exchange, openRaw } from "./raw-client.ts";
import { okAnswer } from "./raw-upstream.ts";
import { setUp } from "./setup.ts";
import { until } from "./until.ts";

const ask = ["POST /anthropic/v1/messages HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
const askTwo = [...ask, "Content-Length: 2"];
const fail = () => {
  throw new Error("planted failure");
};

test.each([
  ["resets", (socket: { resetAndDestroy(): void }) => socket.resetAndDestroy(), "upstream_closed"],
  ["closes", (socket: { end(): void }) => socket.end(), "upstream_closed"],
  [
    "answers garbage",
    (socket: { end(text: string): void }) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"),
    "upstream_garbled",
  ],
] as const)("GW-7 an upstream that %s before an answer is a 502 in the provider's shape", async (_, act, code) => {
  const { gateway, engine } = await setUp({ answer: (_request, socket) => (act as (socket: unknown) => void)(socket) });
  const answer = await exchange(gateway.port, askTwo, "{}");
  expect(answer.statusLine).toBe("HTTP/1.1 502 Bad Gateway");
  expect(answer.headers).toContain(`x-holdfast-error: ${code}`);
  expect(JSON.parse(answer.body.toString())).toMatchObject({ type: "error", error: { type: "api_error" } });
  expect(engine.counted("gateway_upstream_failed", { code })).toBe(1);
});

test.each([
  ["anthropic", "/v1/messages", { type: "error", error: { type: "api_error" } }],
  ["openai", "/v1/responses", { error: { code: "upstream_unreachable", param: null } }],
  ["google", "/v1beta/models/gemini:streamGenerateContent", { error: { code: 502, status: "UNAVAILABLE" } }],
  ["mistral", "/v1/chat/completions", { object: "error" }],
  ["chatgpt", "/codex/responses", { detail: expect.stringContaining("Cannot reach") }],
  ["claude-proxy", "/v1/messages", { type: "error", error: { type: "api_error" } }],
  ["vllm", "/chat/completions", { error: { code: "upstream_unreachable" } }],
])("GW-7 an unreachable upstream is a 502 that the SDK of %s can read", async (name, path, shape) => {
  const port = await freePort();
  const { gateway } = await setUp({ upstreams: [{ name, url: `http://127.0.0.1:${port}` }] });
  const answer = await exchange(
    gateway.port,
    [`POST /${name}${path} HTTP/1.1`, "Host: localhost", ...ask.slice(2), "Content-Length: 2"],
    "{}",
  );
  expect(answer.statusLine).toContain("502");
  expect(answer.headers).toContain("x-holdfast-error: upstream_unreachable");
  expect(JSON.parse(answer.body.toString())).toMatchObject(shape);
});

test("GW-7 a connection that never comes about is given up, TLS included", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as { port: number };
  const { gateway } = await setUp({ upstreams: [{ name: "anthropic", url: `https://127.0.0.1:${port}` }] });
  const socket = ["GET /anthropic/x HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade"];
  const [answer, refused] = await Promise.all([
    exchange(gateway.port, askTwo, "{}"),
    openRaw(gateway.port).then(async (client) => {
      client.socket.write(`${socket.join("\r\n")}\r\n\r\n`);
      return await client.ended();
    }),
  ]);
  expect(answer.headers).toContain("x-holdfast-error: upstream_timeout");
  expect(refused.toString()).toContain("x-holdfast-error: upstream_timeout");
});

test("GW-7 a proxy that the environment names is used, but never for an upstream on this machine", async () => {
  const { gateway, upstream } = await setUp();
  const behind = await startGateway({
    engine: createPassThroughEngine(),
    port: 0,
    proxyEnv: { HTTP_PROXY: upstream.url },
    upstreams: [
      { name: "far", url: "http://provider.test:81/v1" },
      { name: "near", url: gateway.baseUrl },
    ],
    log: createLog({ level: "silent" }),
  });
  onTestFinished(() => behind.close(0));
  await exchange(
    behind.port,
    ["POST /far/x?y HTTP/1.1", "Host: localhost", "content-TYPE: a/b", "Content-Length: 2"],
    "{}",
  );
  expect(upstream.received[0]?.head.split("\r\n")).toEqual([
    "POST http://provider.test:81/v1/x?y HTTP/1.1",
    "Host: provider.test:81",
    "content-TYPE: a/b",
    "Content-Length: 2",
  ]);
  expect((await exchange(behind.port, ["GET /near/healthz HTTP/1.1", "Host: localhost"])).body.toString()).toContain(
    "holdfast",
  );
  const broken = startGateway({
    engine: createPassThroughEngine(),
    port: 0,
    proxyEnv: { HTTPS_PROXY: "http://[planted" },
  });
  await expect(broken).rejects.toMatchObject({
    code: "proxy_invalid",
    message: expect.not.stringContaining("planted"),
  });
});

test("GW-7 an idle connection that closes as we send is a 502, never a second sending", async () => {
  const { gateway, upstream } = await setUp({
    answer: (request, socket, index) => (index === 0 ? okAnswer(request, socket, index) : socket.destroy()),
  });
  expect((await exchange(gateway.port, askTwo, "{}")).statusLine).toContain("200");
  const answer = await exchange(gateway.port, askTwo, "{}");
  expect(answer.headers).toContain("x-holdfast-error: upstream_closed");
  expect(upstream.received).toHaveLength(2);
  expect(upstream.connections.opened).toBe(1);
});

test.each([
  ["throws on the request", { checkRequest: fail }, "gateway_check"],
  ["rejects on the request", { checkRequest: async () => fail() }, "gateway_check"],
  ["never answers", { checkRequest: () => new Promise<never>(() => {}) }, "gateway_check"],
  ["throws on the answer", { observeResponse: fail }, "gateway_observe"],
])("GW-3 an engine that %s costs no turn and is counted", async (_, overrides, where) => {
  const { gateway, upstream, engine, logged } = await setUp({ engine: overrides });
  const answer = await exchange(gateway.port, askTwo, "[]");
  expect(answer.body.toString()).toBe('{"ok":true}');
  expect(upstream.received[0]?.body.toString()).toBe("[]");
  await until(() => expect(engine.counted("own_failure", { where })).toBe(1));
  expect(logged()).toContain("own failure");
  expect(logged()).not.toContain("planted failure");
});

test("GW-3 an engine that cannot even count costs no turn", async () => {
  const { gateway } = await setUp({ engine: { count: fail } });
  expect((await exchange(gateway.port, ["GET /anthropic/v1/models HTTP/1.1", "Host: localhost"])).statusLine).toContain(
    "200",
  );
});

test("GW-3 a repaired body goes out plain, with its own length and nothing else changed", async () => {
  const { gateway, upstream } = await setUp({
    engine: { checkRequest: async (request) => repaired(request, Buffer.from('{"fixed": 1.0}')) },
  });
  const body = gzipSync("{}");
  const head = [...ask, "content-encoding: gzip", "X-Api-Key: k", `CONTENT-length: ${body.length}`];
  await exchange(gateway.port, head, body);
  expect(upstream.received[0]?.body.toString()).toBe('{"fixed": 1.0}');
  expect(upstream.received[0]?.head.split("\r\n").slice(2)).toEqual([
    "Content-Type: application/json",
    "X-Api-Key: k",
    "Content-Length: 14",
  ]);
});

test("GW-3 a chunked body that is repaired goes out with a length", async () => {
  const { gateway, upstream } = await setUp({
    engine: { checkRequest: async (request) => repaired(request, Buffer.from("[1]")) },
  });
  await exchange(gateway.port, [...ask, "Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n");
  expect(upstream.received[0]?.body.toString()).toBe("[1]");
  expect(upstream.received[0]?.head).not.toMatch(/transfer-encoding/i);
});

test.each(["Content-Digest: sha-256=:x:", "Digest: SHA-256=x", "Signature: x", "content-md5: x"])(
  "GW-3 a request with %s is only looked at, never repaired",
  async (header) => {
    const { gateway, upstream, engine } = await setUp({
      engine: { checkRequest: async (request) => repaired(request, Buffer.from("[1]")) },
    });
    await exchange(gateway.port, [...askTwo, header], "{}");
    expect(engine.requests[0]?.mode).toBe("observe");
    expect(upstream.received[0]?.body.toString()).toBe("{}");
  },
);

test("GW-2 a request with an AWS signature passes unread and is counted", async () => {
  const { gateway, upstream, engine } = await setUp();
  await exchange(gateway.port, [...askTwo, "Authorization: AWS4-HMAC-SHA256 Credential=x"], "{}");
  expect(upstream.received[0]?.body.toString()).toBe("{}");
  expect(engine.requests).toEqual([]);
  expect(engine.counted("gateway_unread", { reason: "signature" })).toBe(1);
});

test.each([
  ["GET", "/v1/models?limit=1", [], "", "method"],
  ["DELETE", "/v1/files/f", [], "", "method"],
  ["POST", "/v1/files", ["Content-Type: multipart/form-data; boundary=x", "Content-Length: 3"], "--x", "content_type"],
  ["POST", "/v1/empty", [], "", "content_type"],
  ["PROPFIND", "/v1/x", ["Content-Length: 1"], "x", "method"],
])("GW-6 %s %s passes unread and is counted", async (method, path, headers, body, reason) => {
  const { gateway, upstream, engine } = await setUp();
  await exchange(gateway.port, [`${method} /local${path} HTTP/1.1`, "Host: localhost", ...headers], body);
  expect(upstream.received[0]?.head.split("\r\n")[0]).toBe(`${method} /base/v1${path} HTTP/1.1`);
  expect(upstream.received[0]?.body.toString()).toBe(body);
  expect(upstream.received[0]?.head.split("\r\n").slice(2)).toEqual(headers);
  expect(engine.requests).toEqual([]);
  expect(engine.counted("gateway_unread", { reason })).toBe(1);
});

test("GW-6 a JSON body on a path that nobody models is looked at all the same", async () => {
  const { gateway, engine } = await setUp();
  await exchange(
    gateway.port,
    ["POST /local/rerank HTTP/1.1", "Host: localhost", "Content-Type: application/vnd.x+json", "Content-Length: 2"],
    "{}",
  );
  expect(engine.requests[0]).toMatchObject({ path: "/rerank", upstream: { name: "local" }, method: "POST" });
});

const rejection = 'HTTP/1.1 400 Bad Request\r\nrequest-id: first\r\nContent-Length: 9\r\n\r\n{"no": 1}';

test("GW-10 a rejected request is tried once more with other bytes, and the client sees only what came of it", async () => {
  const { gateway, upstream, engine } = await setUp({
    answer: (request, socket, index) => (index === 0 ? void socket.write(rejection) : okAnswer(request, socket, index)),
    engine: { retryAfterRejection: async (checked) => ({ ...checked, body: Buffer.from("[1]") }) },
  });
  const answer = await exchange(gateway.port, askTwo, "{}");
  expect(answer.statusLine).toContain("200");
  expect(upstream.received.map(({ body }) => body.toString())).toEqual(["{}", "[1]"]);
  await until(() => expect(engine.responses.map(({ status }) => status)).toEqual([400, 200]));
});

test.each([
  [
    "is rejected too",
    (_: unknown, socket: { write(text: string): unknown }) => void socket.write(rejection.replace("first", "second")),
  ],
  ["meets a dead upstream", (_: unknown, socket: { destroy(): unknown }) => void socket.destroy()],
])("GW-10 a second try that %s leaves the client the first answer, unchanged", async (_, second) => {
  const { gateway, upstream } = await setUp({
    answer: (request, socket, index) => (index === 0 ? void socket.write(rejection) : second(request, socket)),
    engine: { retryAfterRejection: async (checked) => ({ ...checked, body: Buffer.from("[1]") }) },
  });
  const answer = await exchange(gateway.port, askTwo, "{}");
  expect(answer.statusLine).toBe("HTTP/1.1 400 Bad Request");
  expect(answer.headers).toContain("request-id: first");
  expect(answer.body.toString()).toBe('{"no": 1}');
  expect(upstream.received).toHaveLength(2);
});

test.each([
  ["the engine has nothing to try", {}, []],
  [
    "the engine returns equal bytes",
    { retryAfterRejection: async (checked: { body: Uint8Array }) => ({ ...checked, body: Buffer.from("{}") }) },
    [],
  ],
  ["the engine fails", { retryAfterRejection: fail }, []],
  ["the request carries an Idempotency-Key", { retryAfterRejection: fail }, ["Idempotency-Key: k"]],
])("GW-10 there is no second try when %s", async (_, overrides, headers) => {
  const { gateway, upstream, engine } = await setUp({
    answer: (_request, socket) => void socket.write(rejection),
    engine: overrides as object,
  });
  const answer = await exchange(gateway.port, [...askTwo, ...headers], "{}");
  expect(answer.body.toString()).toBe('{"no": 1}');
  expect(upstream.received).toHaveLength(1);
  await until(() => expect(engine.responses.map(({ status }) => status)).toEqual([400]));
});

test("GW-10 a rejection that is longer than an explanation streams through", async () => {
  const long = "x".repeat(1024 * 1024);
  const { gateway, upstream } = await setUp({
    answer: (_, socket) => {
      socket.write("HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n");
      socket.write(`${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`);
    },
    engine: { retryAfterRejection: fail },
  });
  const client = await openRaw(gateway.port);
  client.socket.write(`${askTwo.join("\r\n")}\r\n\r\n{}`);
  const bytes = await client.until("\r\n0\r\n\r\n");
  client.socket.destroy();
  expect(bytes.filter((byte) => byte === 0x78).length).toBeGreaterThanOrEqual(long.length);
  expect(upstream.received).toHaveLength(1);
});

test("GW-10 a compressed rejection is explained from a copy and passed on as it came", async () => {
  const body = gzipSync('{"type":"error"}');
  const { gateway, engine } = await setUp({
    answer: (_, socket) => {
      socket.write(`HTTP/1.1 400 Bad Request\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    },
  });
  const answer = await exchange(gateway.port, askTwo, "{}");
  expect(gunzipSync(answer.body).toString()).toBe('{"type":"error"}');
  expect(Buffer.from(engine.responses[0]!.body).toString()).toBe('{"type":"error"}');
});

test("GW-8 observe never touches a byte, whatever the engine returns", async () => {
  const { gateway, upstream, engine } = await setUp({
    mode: "observe",
    engine: {
      checkRequest: async (request) => ({ ...admit(request), body: Buffer.from("[1]") }),
      retryAfterRejection: fail,
    },
    answer: (_, socket) => void socket.write(rejection),
  });
  await exchange(gateway.port, askTwo, "{}");
  expect(upstream.received.map(({ body }) => body.toString())).toEqual(["{}"]);
  expect(engine.counted("own_failure", { where: "gateway_check" })).toBe(1);
});

test("GW-8 the mode is switched per upstream while requests flow, with the token", async () => {
  const { gateway, engine } = await setUp();
  const change = (body: string, ...headers: string[]) =>
    exchange(
      gateway.port,
      ["POST /api/mode HTTP/1.1", "Host: localhost", ...headers, `Content-Length: ${body.length}`],
      body,
    );
  const token = `x-holdfast-token: ${gateway.token}`;
  const observe = '{"upstream":"anthropic","mode":"observe"}';
  expect((await change(observe)).statusLine).toContain("401");
  expect((await change(observe, "x-holdfast-token: wrong")).statusLine).toContain("401");
  await exchange(gateway.port, askTwo, "{}");
  expect((await change(observe, token)).statusLine).toContain("200");
  await exchange(gateway.port, askTwo, "{}");
  await exchange(
    gateway.port,
    askTwo.map((line) => line.replace("/anthropic", "/local")),
    "{}",
  );
  expect(engine.requests.map(({ mode }) => mode)).toEqual(["guard", "observe", "guard"]);
  expect((await change('{"mode":"observe"}', token)).body.toString()).toContain('"local":"observe"');
  expect((await change('{"upstream":"nobody","mode":"observe"}', token)).statusLine).toContain("404");
  expect((await change('{"mode":"off"}', token)).statusLine).toContain("400");
  expect((await change("nonsense", token)).statusLine).toContain("400");
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
