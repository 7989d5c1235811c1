/** What moved the prompt prefix is said before the answer comes: for every API, at every size, beside other turns. */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import { createLog } from "../../src/gateway/log.ts";
import { startGateway } from "../../src/gateway/serve.ts";
import type { TurnEntry, WaitingTurn } from "../../src/gateway/turn-log.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import type { Backend } from "../../src/wire/api.ts";
import * as anthropic from "../dispatch/anthropic-body.ts";
import * as chat from "../dispatch/chat-body.ts";
import * as bedrock from "../dispatch/converse-body.ts";
import * as google from "../dispatch/google-body.ts";
import * as responses from "../dispatch/responses-body.ts";
import { openRaw } from "./raw-client.ts";
import { until } from "./until.ts";

const { user, assistant, text } = anthropic;
const start = [user("go")];
const next = [...start, assistant([text("ok")]), user("and?")];
const system = (words: string) => ({ system: [text(words)] });

test("GW-11 the cause is in the log and the API while the answer is awaited, and with the turn behind it", async () => {
  const { post, get, moved, answers } = await setUp();
  await post(anthropic.request(start, system("Be brief.")));
  answers.hold();
  const second = post(anthropic.request(next, system("Be very brief.")));
  await until(() => expect(moved()).toHaveLength(1));
  const prefix = {
    cause: "system_text",
    message: "the system text changed",
    advice: expect.stringContaining("newest user message"),
    path: "/system/0/text",
    lost_tokens: expect.any(Number),
    rewritten_tokens: expect.any(Number),
  };
  const { session } = moved()[0]!;
  expect(moved()).toMatchObject([{ prefix }]);
  for (const path of ["/api/turns", `/api/sessions/${session}/turns`])
    expect(await get(path)).toMatchObject({ turns: [{ prefix: null }], waiting: [{ session, prefix }] });
  expect(await get("/api/sessions/another/turns")).toMatchObject({ turns: [], waiting: [] });
  answers.release();
  await second;
  await until(async () =>
    expect(await get(`/api/sessions/${session}/turns`)).toMatchObject({ turns: [{ prefix }, {}], waiting: [] }),
  );
});

interface Server {
  readonly backend: Backend;
  readonly paths: readonly string[];
  readonly body: (turns: number, system: string) => object;
  readonly path: string;
}

const chatBody = (turns: number, words: string) =>
  chat.request([chat.system(words), chat.user("go"), ...repeat(turns, [chat.assistant("ok"), chat.user("and?")])]);

const SERVERS: readonly Server[] = [
  {
    backend: "anthropic",
    paths: ["/v1/messages"],
    body: (turns, words) => anthropic.request([...start, ...repeat(turns, next.slice(1))], system(words)),
    path: "/system/0/text",
  },
  { backend: "openai", paths: ["/v1/chat/completions"], body: chatBody, path: "/messages/0/content" },
  {
    backend: "mistral",
    paths: ["/v1/chat/completions"],
    body: (turns, words) => ({ ...chatBody(turns, words), model: "mistral-large-latest" }),
    path: "/messages/0/content",
  },
  {
    backend: "openai",
    paths: ["/v1/responses"],
    body: (turns, words) =>
      responses.request([responses.user("go"), ...repeat(turns, [responses.said("ok"), responses.user("and?")])], {
        instructions: words,
      }),
    path: "/instructions",
  },
  {
    backend: "google",
    paths: ["/v1beta/models/gemini-3-pro:generateContent", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"],
    body: (turns, words) =>
      google.request([google.user("go"), ...repeat(turns, [google.model("ok"), google.user("and?")])], {
        systemInstruction: { parts: [{ text: words }] },
      }),
    path: "/systemInstruction/parts/0/text",
  },
  {
    backend: "bedrock",
    paths: ["/model/us.amazon.nova-pro-v1:0/converse", "/model/us.amazon.nova-pro-v1:0/converse-stream"],
    body: (turns, words) =>
      bedrock.request([bedrock.user("go"), ...repeat(turns, [bedrock.assistant("ok"), bedrock.user("and?")])], {
        system: [{ text: words }],
      }),
    path: "/system/0/text",
  },
];

test.each(SERVERS)("GW-11 a moved prefix is explained on $paths, streamed or whole", async (server) => {
  const { post, get } = await setUp(server.backend);
  const paths = server.paths.length === 1 ? [server.paths[0]!, server.paths[0]!] : server.paths;
  for (const [index, path] of paths.entries()) {
    const stream = server.paths.length === 1 && index === 1 ? { stream: true } : {};
    const session = `s${index}`;
    await post({ ...server.body(0, "Be brief."), ...stream }, { path, session });
    await post({ ...server.body(1, "Be brief."), ...stream }, { path, session });
    await post({ ...server.body(2, "Be very brief."), ...stream }, { path, session });
    await until(async () =>
      expect((await get("/api/turns")).turns.slice(0, 3)).toMatchObject([
        { prefix: { cause: "system_text", path: server.path } },
        { prefix: null },
        { prefix: null },
      ]),
    );
  }
});

test("GW-11 another model in the URL moves the prefix as one in the body does", async () => {
  const { post, get } = await setUp("google");
  const body = (turns: number) =>
    google.request([google.user("go"), ...repeat(turns, [google.model("ok"), google.user("and?")])]);
  await post(body(0), { path: "/v1beta/models/gemini-3-pro:generateContent" });
  await post(body(1), { path: "/v1beta/models/gemini-3-flash:generateContent" });
  await until(async () =>
    expect((await get("/api/turns")).turns).toMatchObject([{ prefix: { cause: "model" } }, { prefix: null }]),
  );
});

test("GW-11 a body of many megabytes has its cause as well", async () => {
  const { post, moved } = await setUp();
  const long = (words: string) => [user("go"), assistant([text(words)]), ...repeat(40, large), user("end")];
  await post(anthropic.request(long("ok")));
  await post(anthropic.request(long("OK!")));
  await until(() =>
    expect(moved()).toMatchObject([{ prefix: { cause: "history_rewritten", path: "/messages/1/content/0/text" } }]),
  );
});

test("GW-11 many sessions whose prefixes move at one moment each have their own cause", async () => {
  const { post, get, answers } = await setUp();
  const sessions = Array.from({ length: 60 }, (_, index) => `s${index}`);
  const tools = (index: number) => Array.from({ length: index + 1 }, (_, at) => anthropic.tool(`t${at}`));
  const send = (rows: readonly object[], more: (index: number) => object) =>
    Promise.all(sessions.map((session, index) => post(anthropic.request(rows, more(index)), { session })));
  await send(start, (index) => ({ tools: tools(index) }));
  answers.hold();
  const turns = send(next, (index) => ({ tools: tools(index + 1) }));
  await vi.waitFor(async () => expect((await get("/api/turns")).waiting).toHaveLength(60), 10_000);
  const causes = (await get("/api/turns")).waiting.map(({ prefix }) => prefix);
  answers.release();
  await turns;
  const paths = causes.map((prefix) => (prefix.cause === "tool_added" ? prefix.path : prefix.cause));
  expect(new Set(paths)).toEqual(new Set(sessions.map((_, index) => `/tools/${index + 1}`)));
});

test("GW-11 requests of one connection, sent before the answers, have their causes in turn", async () => {
  const { gateway, post, get } = await setUp();
  for (const session of ["a", "b"]) await post(anthropic.request(start, system("Be brief.")), { session });
  const { socket, until: received } = await openRaw(gateway.port);
  for (const session of ["a", "b"]) {
    const body = JSON.stringify(anthropic.request(next, system(`Be brief, ${session}.`)));
    const head = [
      "POST /here/v1/messages HTTP/1.1",
      "Host: 127.0.0.1",
      "Content-Type: application/json",
      "X-Api-Key: k",
      `Session-Id: ${session}`,
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  }
  await received("{}");
  await until(async () =>
    expect((await get("/api/turns")).turns.map(({ prefix }) => prefix?.cause ?? null)).toEqual([
      "system_text",
      "system_text",
      null,
      null,
    ]),
  );
  socket.destroy();
});

test("GW-11 a client that leaves before the answer still has a turn with its cause, and waits no more", async () => {
  const { post, get, moved, answers } = await setUp();
  await post(anthropic.request(start, system("Be brief.")));
  answers.hold();
  const leaving = new AbortController();
  const second = post(anthropic.request(next, system("Be very brief.")), { signal: leaving.signal });
  await until(() => expect(moved()).toHaveLength(1));
  leaving.abort();
  await expect(second).rejects.toThrow();
  await until(async () =>
    expect(await get("/api/turns")).toMatchObject({
      turns: [{ status: null, prefix: { cause: "system_text" } }, {}],
      waiting: [],
    }),
  );
});

test("GW-11 a repair that is made in both turns is no cause: what the client sent is compared", async () => {
  const { post, get } = await setUp();
  const call = [user("go"), assistant([anthropic.call("a")]), user("stop"), assistant([text("ok")]), user("and?")];
  const budget = (tokens: number) => ({ max_tokens: 9_000, thinking: { type: "enabled", budget_tokens: tokens } });
  await post(anthropic.request(call.slice(0, 1), budget(2048)));
  await post(anthropic.request(call.slice(0, 3), budget(2048)));
  await post(anthropic.request(call, budget(4096)));
  await until(async () =>
    expect((await get("/api/turns")).turns).toMatchObject([
      { outcome: "repaired", prefix: { cause: "settings", path: "/thinking/budget_tokens" } },
      { outcome: "repaired", prefix: null },
      { outcome: "sent", prefix: null },
    ]),
  );
});

test("GW-11 a history that was cut or rewritten at its start is compared with the one that it was", async () => {
  const { post, get } = await setUp();
  const rows = Array.from({ length: 6 }, (_, at) => [user(`q${at}`), assistant([text(`a${at}`)])]).flat();
  await post(anthropic.request(rows.slice(0, 1)));
  await post(anthropic.request(rows.slice(0, 7)));
  await post(anthropic.request([...rows.slice(4, 9)]));
  await post(anthropic.request([user("It is 10:00:01. q2"), ...rows.slice(5, 11)]));
  await until(async () =>
    expect((await get("/api/turns")).turns).toMatchObject([
      { prefix: { cause: "history_rewritten", path: "/messages/0/content" } },
      { prefix: { cause: "history_dropped", path: "/messages/0/content" } },
      { prefix: null },
      { prefix: null },
    ]),
  );
});

test("GW-11 a history whose last body is not kept says so in words, and a new conversation has nothing to say", async () => {
  const { post, get, lines } = await setUp();
  await post(anthropic.request(next));
  await post(anthropic.request(start), { session: "new" });
  const unknown = { cause: "unknown", reason: "body_not_kept", message: expect.stringContaining("was not kept") };
  await until(async () =>
    expect((await get("/api/turns")).turns).toMatchObject([{ prefix: null }, { prefix: unknown }]),
  );
  expect(lines.filter(({ msg }) => msg === "prefix not compared")).toMatchObject([{ prefix: unknown }]);
});

const large = [user("and?".repeat(12_000)), assistant([text("yes!".repeat(12_000))])];

function repeat<T>(times: number, rows: readonly T[]): T[] {
  return Array.from({ length: times }, () => rows).flat();
}

interface Line {
  readonly msg: string;
  readonly session: string | null;
  readonly prefix: object | null;
}

interface PostOptions {
  readonly path?: string;
  readonly session?: string;
  readonly signal?: AbortSignal;
}

async function setUp(backend: Backend = "anthropic") {
  const answers = answersOf();
  const upstream = createServer((request, response) => {
    request.resume().on("end", () =>
      answers.give(() => {
        if (request.url!.includes("tream")) response.writeHead(200, { "content-type": "text/event-stream" }).end();
        else response.writeHead(200, { "content-type": "application/json" }).end("{}");
      }),
    );
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const engine = await createEngine({ store: openMemoryStore(), hashKey: randomBytes(32) });
  const lines: Line[] = [];
  const gateway = await startGateway({
    engine,
    port: 0,
    upstreams: [{ name: "here", url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`, backend }],
    log: createLog({ destination: { write: (line) => void lines.push(JSON.parse(line) as Line) } }),
  });
  onTestFinished(async () => {
    await gateway.close(0);
    await engine.close();
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  });
  const get = async (path: string) =>
    (await (await fetch(`${gateway.baseUrl}${path}`)).json()) as { turns: TurnEntry[]; waiting: WaitingTurn[] };
  const post = async (body: object, { path = "/v1/messages", session = "s", signal }: PostOptions = {}) => {
    const headers = { "content-type": "application/json", "x-api-key": "k", "session-id": session };
    const init = { method: "POST", headers, body: JSON.stringify(body), ...(signal && { signal }) };
    return await (await fetch(`${gateway.baseUrl}/here${path}`, init)).text();
  };
  return { gateway, get, post, lines, moved: () => lines.filter(({ msg }) => msg === "prefix moved"), answers };
}

/** Answers that a test may keep back. */
function answersOf() {
  const waiting: (() => void)[] = [];
  let held = false;
  return {
    give: (go: () => void) => (held ? void waiting.push(go) : go()),
    hold: () => {
      held = true;
    },
    release: () => {
      held = false;
      for (const go of waiting.splice(0)) go();
    },
  };
}
