/** The gate on both sides of Pi's real encoders, in this process: histories of every kind, and one validator as the judge. */
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { CheckedRequest, Engine } from "../../src/engine/engine.ts";
import type { AgentMessage } from "../../src/hosts/agent-api.ts";
import { openPayload } from "../../src/hosts/payload-body.ts";
import { piArray } from "../../src/hosts/pi/rows.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { createProviderContext, validateRequest } from "../../src/testing/index.ts";
import { encodeAsPi, PI_APIS, PI_MODELS, type PiApi } from "./clients/pi-encoder.ts";
import { damaged, legalPiHistory } from "./clients/pi-history.ts";

const BACKENDS = {
  "anthropic-messages": "anthropic",
  "openai-completions": "openai",
  "openai-responses": "openai",
  "google-generative-ai": "google",
  "bedrock-converse-stream": "bedrock",
  "mistral-conversations": "mistral",
} as const;

/** What Pi writes for a call that it finds no result for. */
const MADE_UP = "No result provided";

let engine: Engine;
beforeEach(async () => {
  engine = await createEngine({ store: openMemoryStore(), hashKey: new Uint8Array(32) });
});

/** A turn as the extension sees it. */
async function send(
  api: PiApi,
  messages: readonly AgentMessage[],
): Promise<{ checked: CheckedRequest; text: string; moved: number }> {
  const upstream = { name: api, url: "https://api.test", backend: BACKENDS[api], api } as const;
  const array = piArray(messages);
  const turn = { host: "pi", upstream, model: PI_MODELS[api].id, mode: "guard", array, operation: null } as const;
  const { rows, prepared } = engine.prepareTurn(turn);
  const body = openPayload(api, await encodeAsPi(api, rows))!.bytes;
  const path = `/models/${encodeURIComponent(PI_MODELS[api].id)}`;
  const request = { upstream, mode: "guard", method: "POST", path, headers: {}, body, prepared } as const;
  const checked = await engine.checkRequest(request);
  return { checked, text: Buffer.from(checked.body).toString(), moved: prepared.edits.length };
}

function judge(api: PiApi, text: string): { readonly status: number; readonly rule?: string } {
  return validateRequest(api, JSON.parse(text), createProviderContext({ backend: BACKENDS[api] }), {
    model: PI_MODELS[api].id,
  });
}

/** Nothing but a page or a rumour says that these are rejected: their repair waits for a rejection. */
const UNPROVEN = ["B-ROLE-8", "M-COUNT-5"];

describeEach(
  "HO-9, DG-2, DG-5 a legal history passes both stages as it is, and shows no difference between them",
  async (api) => {
    await fc.assert(
      fc.asyncProperty(legalPiHistory(api, PI_MODELS[api]), async (messages) => {
        const { checked, text, moved } = await send(api, messages);
        expect(moved).toBe(0);
        expect(checked.record).toMatchObject({ outcome: "sent", verdict: { kind: "admit" } });
        expect(judge(api, text).status).toBe(200);
      }),
      { numRuns: 150 },
    );
  },
);

describeEach(
  "HO-9, DG-20, DG-21, DG-22 a damaged history arrives legal, and no real result gives way to one that Pi makes up",
  async (api) => {
    await fc.assert(
      fc.asyncProperty(damaged(legalPiHistory(api, PI_MODELS[api])), async (messages) => {
        const { checked, text } = await send(api, messages);
        if (checked.record.outcome === "degraded") return;
        const { rule = null } = judge(api, text);
        if (rule !== null) expect(UNPROVEN).toContain(rule);
        for (const { role, toolCallId, content } of messages) {
          if (role === "toolResult") expect(text).toContain((content as { text: string }[])[0]!.text);
          if (role === "toolResult" && isAnswered(messages, toolCallId)) expect(made(text, toolCallId)).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  },
);

function describeEach(title: string, run: (api: PiApi) => Promise<void>): void {
  test.each(PI_APIS)(`${title}, %s`, run);
}

/** The call stands once, in a turn that was not broken off, and its only result behind it, before the model's next word. */
function isAnswered(messages: readonly AgentMessage[], id: unknown): boolean {
  const calls = messages.flatMap((message, index) => {
    const parts = message.role === "assistant" ? (message.content as { id?: unknown }[]) : [];
    return parts.some((part) => part.id === id) ? [{ index, whole: message.stopReason !== "aborted" }] : [];
  });
  const results = messages.flatMap(({ toolCallId }, index) => (toolCallId === id ? [index] : []));
  if (calls.length !== 1 || results.length !== 1 || !calls[0]!.whole || calls[0]!.index > results[0]!) return false;
  const between = messages.slice(calls[0]!.index + 1, results[0]);
  return !between.some(({ role, stopReason }) => role === "assistant" && stopReason !== "aborted");
}

/** Whether a result that Pi made up stands for this call. */
function made(text: string, id: unknown): boolean {
  const inner = JSON.stringify(JSON.parse(text));
  const forms = [
    `"tool_use_id":"${id}","content":"${MADE_UP}"`,
    `"content":"${MADE_UP}","tool_call_id":"${id}"`,
    `"call_id":"${id}","output":"${MADE_UP}"`,
  ];
  return forms.some((form) => inner.includes(form));
}

const picture = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const words = (text: string) => ({ type: "text", text });
const user = (content: unknown): AgentMessage => ({ role: "user", content, timestamp: 1 });
const ran = (id: string, ...content: object[]): AgentMessage => {
  return { role: "toolResult", toolCallId: id, toolName: "bash", content, isError: false, timestamp: 3 };
};
const call = (id: string) => ({ type: "toolCall", id, name: "bash", arguments: { command: "ls" } });
const reply = (api: string, ...content: object[]): AgentMessage => {
  const from = PI_MODELS[api as PiApi] ?? { provider: "nobody", id: "other" };
  const { provider, id } = from;
  return { role: "assistant", api, provider, model: id, content, usage: {}, stopReason: "toolUse", timestamp: 2 };
};
const thinking = { type: "thinking", thinking: "Hm", thinkingSignature: "sealed" };

/** Ids that all APIs take as they are. */
const [ONE, TWO] = ["callnumb1", "callnumb2"] as const;

type Expected = Readonly<Partial<Record<PiApi, readonly string[]>>>;

/** What an encoder cannot send as it is, it rewrites; that has a name and changes nothing about the turn. */
test.each<[name: string, (api: string) => readonly AgentMessage[], Expected]>([
  [
    "reasoning and ids of another model",
    () => [user("go"), reply("another", thinking, call("call_1|fc+2")), ran("call_1|fc+2", words("out"))],
    {
      "anthropic-messages": ["id_renamed", "foreign_reply_rewritten"],
      "openai-completions": ["id_renamed", "foreign_reply_rewritten"],
      "openai-responses": ["foreign_reply_rewritten"],
      "google-generative-ai": ["foreign_reply_rewritten"],
      "bedrock-converse-stream": ["id_renamed", "foreign_reply_rewritten"],
      "mistral-conversations": ["id_renamed", "foreign_reply_rewritten"],
    },
  ],
  ["a picture of the user", () => [user([words("Look"), picture])], {}],
  [
    "a picture in a result",
    (api) => [user("go"), reply(api, call(ONE)), ran(ONE, words("see"), picture)],
    { "openai-completions": ["row_extra"], "google-generative-ai": ["row_extra"] },
  ],
  ["a result without words", (api) => [user("go"), reply(api, call(ONE)), ran(ONE)], {}],
  [
    "two words in one reply",
    (api) => [user("go"), reply(api, words("One."), words("Two."), call(ONE)), ran(ONE, words("out"))],
    { "openai-completions": ["rows_merged"] },
  ],
  ["half a character", () => [user("a\ud800b")], Object.fromEntries(PI_APIS.map((api) => [api, ["well_formed"]]))],
  [
    "results in another order than their calls, where no id says whose they are",
    (api) => [user("go"), reply(api, call(ONE), call(TWO)), ran(TWO, words("second")), ran(ONE, words("first"))],
    { "google-generative-ai": ["result_content_changed"] },
  ],
])("HO-9, DG-30 %s", async (_name, messages, expected) => {
  for (const api of PI_APIS) {
    const { verdict, outcome } = (await send(api, messages(api))).checked.record;
    const soft = verdict.kind === "admit" ? [] : verdict.soft.map((divergence) => divergence.class);
    expect([outcome, soft], api).toEqual(["sent", expected[api] ?? []]);
  }
});

/** What the SDK of an API makes of what Pi hands it, as far as a validator reads it. */
const BODY_OF = {
  "google-generative-ai": ({ contents }: { contents?: unknown }) => ({ contents }),
  "bedrock-converse-stream": (payload: object) => payload,
  "mistral-conversations": (payload: object) =>
    JSON.parse(JSON.stringify(payload).replaceAll("toolCalls", "tool_calls").replaceAll("toolCallId", "tool_call_id")),
} as const;

const SDK_APIS = Object.keys(BODY_OF) as (keyof typeof BODY_OF)[];

test.each(SDK_APIS)("HO-9, DG-20 the repaired array alone is legal, as its SDK sends it, %s", async (api) => {
  const backend = BACKENDS[api];
  const model = PI_MODELS[api].id;
  const judge = async (messages: readonly AgentMessage[]) => {
    const body = BODY_OF[api](await encodeAsPi(api, messages));
    const verdict = validateRequest(api, body, createProviderContext({ backend }), { model });
    return { status: verdict.status, text: JSON.stringify(body) };
  };
  const found = ran("callnumb1", words("what it found"));
  const brokenOff = { ...reply(api, words("I")), stopReason: "aborted" };
  const parted = [user("Look"), reply(api, call("callnumb1")), brokenOff, found];
  const orphan = [user("Look"), reply(api, words("No.")), found];
  for (const messages of [parted, orphan]) {
    const upstream = { name: backend, url: "https://api.test", backend, api };
    const turn = { host: "pi", upstream, model, mode: "guard", array: piArray(messages), operation: null } as const;
    const { rows } = engine.prepareTurn(turn);
    expect((await judge(messages)).status).toBe(400);
    const { status, text } = await judge(rows);
    expect(status, text).toBe(200);
    expect(text).toContain("what it found");
    expect(text).not.toContain(MADE_UP);
  }
});
