/** One session whose turns go to Messages, Chat Completions and Responses in turn, as a person changes the model. */
import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import { createLog } from "../../src/gateway/log.ts";
import { startGateway } from "../../src/gateway/serve.ts";
import { openStore } from "../../src/store/open-store.ts";
import { startSimulatedProvider } from "../../src/testing/index.ts";
import * as anthropic from "../dispatch/anthropic-body.ts";
import * as chat from "../dispatch/chat-body.ts";
import * as responses from "../dispatch/responses-body.ts";
import { until } from "./until.ts";

async function setUp() {
  const provider = await startSimulatedProvider();
  const store = await openStore("memory:");
  const engine = await createEngine({ store, hashKey: randomBytes(32) });
  const gateway = await startGateway({
    engine,
    port: 0,
    upstreams: [
      { name: "anthropic", url: provider.url, backend: "anthropic" },
      { name: "openai", url: provider.url, backend: "openai" },
    ],
    log: createLog({ level: "silent" }),
  });
  onTestFinished(async () => {
    await gateway.close(0);
    await engine.close();
    await store.close();
    await provider.close();
  });
  /** The answer, and the rows that the provider got. */
  const turn = async (path: string, body: object) => {
    provider.script({ thinking: "I count.", text: "eleven" });
    const headers = { "content-type": "application/json", authorization: "Bearer one", "session-id": "session" };
    const answer = await fetch(`${gateway.baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    const sent = provider.requests.at(-1)!.json as { messages?: object[]; input?: object[] };
    return {
      json: (await answer.json()) as { content?: { type: string; signature?: string }[] },
      rows: sent.messages ?? sent.input!,
    };
  };
  const lanes = async () =>
    ((await (await fetch(`${gateway.baseUrl}/api/turns`)).json()) as { turns: { lane: string; outcome: string }[] })
      .turns;
  return { turn, lanes };
}

const MESSAGES = "/anthropic/v1/messages";
const CHAT = "/openai/v1/chat/completions";
const RESPONSES = "/openai/v1/responses";
const thinks = { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 4096 };

test("GW-9 DG-28 R-ENC-10 a session that changes its api is repaired on each, keeps its lanes apart, and goes on where it was", async () => {
  const { turn, lanes } = await setUp();
  const start = [anthropic.user("count"), anthropic.assistant([anthropic.call("a")]), anthropic.user("stop")];
  const first = await turn(MESSAGES, anthropic.request(start, thinks));
  expect(JSON.stringify(first.rows)).toContain("No result:");
  const said = first.json.content!;
  const seal = said.find(({ type }) => type === "thinking")!.signature!;

  const talked = [
    chat.user("count"),
    chat.calling(["a"]),
    chat.user("stop"),
    chat.assistant("eleven"),
    chat.user("and?"),
  ];
  const second = await turn(CHAT, chat.request(talked));
  expect(second.rows[2]).toMatchObject({ role: "tool", tool_call_id: "a" });

  // Some agents hand one vendor's signature to the other as its sealed reasoning.
  const items = [
    ...[responses.user("count"), responses.call("a"), responses.user("stop")],
    ...[responses.reasoning("rs_1", { encrypted_content: seal }), responses.said("eleven"), responses.user("and?")],
  ];
  const third = await turn(RESPONSES, responses.request(items));
  expect(JSON.stringify(third.rows)).toContain("No result:");
  expect(JSON.stringify(third.rows)).not.toContain(seal);

  const back = [...start, anthropic.assistant(said), anthropic.user("so?")];
  const fourth = await turn(MESSAGES, anthropic.request(back, thinks));
  expect(fourth.rows.slice(0, first.rows.length)).toEqual(first.rows);
  expect(JSON.stringify(fourth.rows)).toContain(seal);

  await until(async () => expect(await lanes()).toHaveLength(4));
  const [last, responsesTurn, chatTurn, opening] = await lanes();
  expect(new Set([opening, chatTurn, responsesTurn].map((one) => one!.lane)).size).toBe(3);
  expect(last!.lane).toBe(opening!.lane);
});
