import { expect, test } from "vitest";
import { statusPage } from "../../src/dashboard/page.ts";
import { connectLines } from "../../src/gateway/connect-lines.ts";
import { admit } from "./pass-through-engine.ts";
import { exchange, openRaw } from "./raw-client.ts";
import { okAnswer } from "./raw-upstream.ts";
import { type Setup, setUp } from "./setup.ts";
import { until } from "./until.ts";

const ask = [
  "POST /anthropic/v1/messages HTTP/1.1",
  "Host: localhost",
  "Content-Type: application/json",
  "Content-Length: 2",
];

async function read({ gateway }: Setup, path: string) {
  const answer = await exchange(gateway.port, [`GET ${path} HTTP/1.1`, "Host: localhost"]);
  expect(answer.statusLine, path).toContain("200");
  return answer;
}

async function readJson(setup: Setup, path: string) {
  const { body } = await read(setup, path);
  return JSON.parse(body.toString());
}

test("GW-11 health, status, turns, sessions, counters and modes are JSON", async () => {
  const setup = await setUp({
    page: statusPage,
    engine: {
      observeResponse: ({ record }, { status }) => ({
        status,
        rejection: null,
        usage: {
          inputTokens: 1,
          cacheReadTokens: 20,
          cacheWriteTokens: 3,
          cacheWrite1hTokens: 0,
          outputTokens: record.rows + 4,
        },
      }),
    },
  });
  await exchange(setup.gateway.port, ask, "{}");
  await exchange(setup.gateway.port, ask, "{}");
  await until(async () => expect((await readJson(setup, "/api/turns")).turns).toHaveLength(2));
  expect((await readJson(setup, "/api/turns")).turns[0]).toMatchObject({
    upstream: "anthropic",
    verdict: "admit",
    outcome: "sent",
    mode: "guard",
    status: 200,
    complete: true,
    usage: { cache_read_tokens: 20, output_tokens: 4 },
  });
  expect((await readJson(setup, "/api/sessions")).sessions).toMatchObject([
    { session: "s1", turns: 2, usage: { input_tokens: 2 } },
  ]);
  expect(await readJson(setup, "/healthz")).toMatchObject({
    schema: 1,
    name: "holdfast",
    status: "ok",
    pid: process.pid,
  });
  const { upstreams, open_exchanges } = await readJson(setup, "/api/status");
  // Who asks how many turns are on the way is none of them.
  expect(open_exchanges).toBe(0);
  expect(upstreams).toContainEqual({ name: "anthropic", url: setup.upstream.url, mode: "guard" });
  expect(upstreams).toContainEqual({ name: "chatgpt", url: "https://chatgpt.com/backend-api", mode: "guard" });
  expect((await readJson(setup, "/api/mode")).modes).toMatchObject({ anthropic: "guard", openai: "guard" });
  expect((await readJson(setup, "/api/connect?base=http://gw:1")).agents[0].paste).toBe(
    "export ANTHROPIC_BASE_URL=http://gw:1/anthropic",
  );
  await exchange(setup.gateway.port, ["GET /anthropic/v1/models HTTP/1.1", "Host: localhost"]);
  expect((await readJson(setup, "/api/counters")).counters).toContainEqual({
    name: "gateway_unread",
    labels: { reason: "method" },
    count: 1,
  });
  const metrics = (await read(setup, "/metrics")).body.toString();
  expect(metrics).toContain(
    '# TYPE holdfast_gateway_unread_total counter\nholdfast_gateway_unread_total{reason="method"} 1\n',
  );
  expect(metrics).toContain('holdfast_guard_mode{upstream="anthropic"} 1');
  expect((await exchange(setup.gateway.port, ["GET /api/nothing HTTP/1.1", "Host: localhost"])).statusLine).toContain(
    "404",
  );
});

test("GW-11 the page comes with a policy that lets nothing else run, and works below the token", async () => {
  const { gateway } = await setUp({ page: statusPage, token: "t1" });
  for (const path of ["/", "/t1/"]) {
    const answer = await exchange(gateway.port, [`GET ${path} HTTP/1.1`, "Host: localhost"]);
    expect(answer.headers).toMatch(/content-security-policy: default-src 'none'; script-src 'sha256-/);
    expect(answer.headers).toContain("x-content-type-options: nosniff");
    expect(answer.body.toString()).toContain("<title>Holdfast</title>");
    expect(answer.body.toString()).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
  }
});

test("GW-1 there are lines to paste for every agent, and what each of them loses", () => {
  const lines = connectLines("http://127.0.0.1:4141");
  expect(lines.map(({ agent }) => agent)).toEqual([
    "Claude Code",
    "Codex (API key)",
    "Codex (ChatGPT login)",
    "Pi",
    "OMP",
    "OpenCode",
    "Anthropic SDK",
    "OpenAI SDK",
    "AI SDK",
  ]);
  for (const { agent, paste, loses, bringBack } of lines) {
    expect(paste, agent).toContain("http://127.0.0.1:4141/");
    expect(loses === null, agent).toBe(bringBack === null);
  }
});

test("GW-4 no key, cookie, token, query or prompt text is found in logs, API, page or metrics", async () => {
  const setup = await setUp({
    page: statusPage,
    token: "planted-1",
    engine: {
      checkRequest: async (request) => {
        const checked = admit(request);
        const edit = {
          op: "insert",
          path: "/messages/1",
          value: "planted-2",
          rule: "A-PAIR-1",
          changes: "shape",
        } as const;
        return { ...checked, record: { ...checked.record, edits: [edit] } };
      },
      retryAfterRejection: () => {
        throw new Error("planted-3");
      },
    },
    answer: (request, socket, index) => {
      if (index % 2 === 0) okAnswer(request, socket, index);
      else socket.write("HTTP/1.1 400 Bad\r\nSet-Cookie: planted-4\r\nContent-Length: 9\r\n\r\nplanted-5");
    },
  });
  const body = '{"messages":"planted-6"}';
  const head = [
    "POST /planted-1/anthropic/v1/planted-7?key=planted-8 HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/json",
    "X-Api-Key: planted-9",
    "Authorization: Bearer planted-10",
    "Cookie: planted-11",
    `Content-Length: ${body.length}`,
  ];
  for (let turn = 0; turn < 4; turn++) await exchange(setup.gateway.port, head, body);
  await setup.upstream.close();
  await exchange(setup.gateway.port, head, body);
  await until(async () => expect((await readJson(setup, "/api/turns")).turns).toHaveLength(5));
  const shown = [
    "/",
    "/healthz",
    "/metrics",
    "/api/status",
    "/api/turns",
    "/api/sessions",
    "/api/counters",
    "/api/mode",
    "/api/connect",
  ];
  const texts = await Promise.all(shown.map(async (path) => (await read(setup, path)).body.toString()));
  expect(setup.logged()).toContain('"status":400');
  expect([setup.logged(), ...texts].join("\n")).not.toMatch(/planted/);
});

test("GW-11 closing lets answers end and takes no new connection", async () => {
  let finish = () => {};
  const setup = await setUp({
    answer: (_, socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
      finish = () => void socket.write("cd");
    },
  });
  const idle = await openRaw(setup.gateway.port);
  const client = await openRaw(setup.gateway.port);
  client.socket.write(`${ask.join("\r\n")}\r\n\r\n{}`);
  await client.until("ab");
  const closed = setup.gateway.close();
  await expect(openRaw(setup.gateway.port).then((late) => late.ended())).resolves.toHaveLength(0);
  finish();
  await client.until("abcd");
  await closed;
  await idle.ended();
  await client.ended();
});

test("GW-11 closing cuts off what lasts longer than the time to drain", async () => {
  const setup = await setUp({ answer: (_, socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab") });
  const client = await openRaw(setup.gateway.port);
  client.socket.write(`${ask.join("\r\n")}\r\n\r\n{}`);
  await client.until("ab");
  const socket = await openRaw(setup.gateway.port);
  socket.socket.write("GET /local/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  await until(() => expect(setup.upstream.received).toHaveLength(2));
  await setup.gateway.close(10);
  expect((await client.ended()).toString()).toMatch(/ab$/);
  await socket.ended();
});
