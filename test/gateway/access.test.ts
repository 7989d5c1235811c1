import { expect, test } from "vitest";
import { statusPage } from "../../src/dashboard/page.ts";
import { createLog } from "../../src/gateway/log.ts";
import { startGateway } from "../../src/gateway/serve.ts";
import { createPassThroughEngine } from "./pass-through-engine.ts";
import { exchange, openRaw } from "./raw-client.ts";
import { setUp } from "./setup.ts";

const silent = createLog({ level: "silent" });

test.each([
  ["localhost:4141", 200],
  ["127.0.0.1", 200],
  ["127.8.9.1:80", 200],
  ["[::1]:4141", 200],
  ["LOCALHOST", 200],
  ["my.gateway:1", 200],
  ["192.0.2.7", 200],
  ["evil.example", 403],
  ["localhost.evil.example", 403],
  ["127.0.0.1.evil.example", 403],
  ["evil.example@localhost", 403],
  ["a b", 403],
  ["", 403],
])("GW-2 Host %j is answered with %i", async (host, status) => {
  const { gateway, upstream } = await setUp({ allowedHosts: ["my.gateway"], page: statusPage });
  for (const path of ["/anthropic/v1/models", "/api/status", "/", "/metrics"]) {
    const answer = await exchange(gateway.port, [`GET ${path} HTTP/1.1`, `Host: ${host}`]);
    expect(answer.statusLine).toContain(String(status));
    if (status === 403) expect(answer.headers).toContain("x-holdfast-error: host_not_allowed");
  }
  expect(upstream.received).toHaveLength(status === 200 ? 1 : 0);
});

test.each([
  ["http://localhost:3000", 200],
  ["http://127.0.0.1:4141", 200],
  ["http://[::1]", 200],
  ["https://tool.example", 200],
  ["https://evil.example", 403],
  ["http://localhost.evil.example", 403],
  ["null", 403],
  ["file://", 403],
])("GW-2 Origin %j is answered with %i", async (origin, status) => {
  const { gateway, upstream } = await setUp({ allowedOrigins: ["https://tool.example"] });
  const answer = await exchange(gateway.port, ["GET /anthropic/x HTTP/1.1", "Host: localhost", `Origin: ${origin}`]);
  expect(answer.statusLine).toContain(String(status));
  if (status === 403) expect(answer.headers).toContain("x-holdfast-error: origin_not_allowed");
  expect(upstream.received).toHaveLength(status === 200 ? 1 : 0);
});

test("GW-2 only configured upstreams are reachable, and the answer says which there are", async () => {
  const { gateway, upstream } = await setUp();
  const targets = ["/v1/messages", "/nobody/v1", `${upstream.url}/anthropic/x`, "//anthropic/v1", "*"];
  for (const target of targets) {
    const answer = await exchange(gateway.port, [`GET ${target} HTTP/1.1`, "Host: localhost"]);
    expect(answer.statusLine, target).toContain("404");
  }
  const answer = await exchange(gateway.port, ["POST /v1/messages HTTP/1.1", "Host: localhost"]);
  expect(JSON.parse(answer.body.toString()).error.message).toContain("/anthropic, /openai");
  const tunnel = await openRaw(gateway.port);
  tunnel.socket.write(`CONNECT ${upstream.url.slice(7)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  expect((await tunnel.ended()).toString()).not.toContain("200");
  expect(upstream.received).toEqual([]);
});

test.each([
  ["/local/x?y=1", "/base/v1/x?y=1"],
  ["/local", "/base/v1/"],
  ["/local?y", "/base/v1/?y"],
  ["/local//x", "/base/v1//x"],
  ["/anthropic/v1/messages?beta=true", "/v1/messages?beta=true"],
])("GW-2 path and query are kept behind the base URL: %s", async (given, expected) => {
  const { gateway, upstream } = await setUp();
  await exchange(gateway.port, [`GET ${given} HTTP/1.1`, "Host: localhost"]);
  expect(upstream.received[0]?.head).toMatch(`GET ${expected} HTTP/1.1\r\n`);
});

test("GW-4 a gateway with a token asks for it, takes it in both places, and never sends it on", async () => {
  const { gateway, upstream, logged } = await setUp({ token: "planted-token" });
  const get = (path: string, ...headers: string[]) =>
    exchange(gateway.port, [`GET ${path} HTTP/1.1`, "Host: localhost", ...headers]);
  expect((await get("/anthropic/x")).headers).toContain("x-holdfast-error: token_required");
  expect((await get("/wrong-token/anthropic/x")).statusLine).toContain("401");
  expect((await get("/anthropic/x", "X-Holdfast-Token: wrong")).statusLine).toContain("401");
  expect((await get("/anthropic/x", "X-Holdfast-Token: planted-token")).statusLine).toContain("200");
  expect((await get("/planted-token/anthropic/x")).statusLine).toContain("200");
  expect(upstream.received.map(({ head }) => head)).toEqual([
    expect.stringMatching(/^GET \/x HTTP/),
    expect.stringMatching(/^GET \/x HTTP/),
  ]);
  expect(upstream.received.map(({ head }) => head).join()).not.toMatch(/token/i);
  // Whoever knows the token is no page in a browser, and may reach the gateway by any name.
  const named = await exchange(gateway.port, ["GET /planted-token/anthropic/x HTTP/1.1", "Host: gateway.example"]);
  expect(named.statusLine).toContain("200");
  expect((await get("/api/status")).statusLine).toContain("200");
  expect(gateway.baseUrl).toBe(`http://127.0.0.1:${gateway.port}/planted-token`);
  expect(logged()).not.toContain("planted-token");
});

test.each([
  [{ host: "0.0.0.0" }, "token_missing"],
  [{ token: "a/b" }, "token_invalid"],
  [{ token: "" }, "token_invalid"],
  [{ token: "openai" }, "token_invalid"],
  [{ token: "api" }, "token_invalid"],
  [{ upstreams: [{ name: "x", url: "ftp://h" }] }, "upstream_invalid"],
  [{ upstreams: [{ name: "x", url: "nonsense" }] }, "upstream_invalid"],
  [{ upstreams: [{ name: "api", url: "http://h" }] }, "upstream_invalid"],
  [{ upstreams: [{ name: "a/b", url: "http://h" }] }, "upstream_invalid"],
  [{ upstreams: [{ name: "x", url: "http://user:planted@h" }] }, "upstream_invalid"],
  [{ upstreams: [{ name: "x", url: "http://h/?key=planted" }] }, "upstream_invalid"],
])("GW-1 a gateway does not start with %j", async (options, code) => {
  const started = startGateway({ engine: createPassThroughEngine(), port: 0, log: silent, ...options });
  await expect(started).rejects.toMatchObject({ code, message: expect.not.stringContaining("planted") });
});

test("GW-1 a port that is taken is refused with the name of who has it", async () => {
  const { gateway } = await setUp();
  const started = startGateway({ engine: createPassThroughEngine(), port: gateway.port, log: silent });
  await expect(started).rejects.toMatchObject({
    code: "port_in_use",
    message: expect.stringContaining(`another holdfast gateway (pid ${process.pid})`),
  });
});

test.runIf(process.platform === "linux")("GW-1 a port that another program has names that program", async () => {
  const { upstream } = await setUp({
    answer: (_, socket) => void socket.end("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"),
  });
  const started = startGateway({
    engine: createPassThroughEngine(),
    port: Number(new URL(upstream.url).port),
    log: silent,
  });
  await expect(started).rejects.toMatchObject({ message: expect.stringContaining(`(pid ${process.pid})`) });
});
