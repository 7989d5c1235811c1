import { expect, test } from "vitest";
import { APIS, type Api } from "../wire/api.ts";
import { completePlan } from "./candidate.ts";
import type { ContextPlan } from "./context-plan.ts";
import { buildPrefixRows } from "./prefix-rows.ts";
import { renderPrefix, renderRequest } from "./render.ts";
import { verifyRequest } from "./verify-plan.ts";

function planFor(api: Api): ContextPlan {
  const texts = {
    framing: "You work.",
    instructions: 'Be "brief" \u2028.',
    persona: "",
    deferredTools: [],
    skillCatalogue: null,
    memory: null,
  };
  const schema = { type: "object", properties: { "10": { type: "string" }, b: { maximum: 2n ** 63n - 1n }, a: {} } };
  const tools = ["mail.flag", "mail.move"].map((name) => ({
    name,
    version: "1",
    input_schema: schema,
    required_scopes: new Set<string>(),
  }));
  const agent = {
    api,
    model: "m",
    framing: "",
    instructions: "",
    persona: null,
    skills: [],
    tools: [],
    policyVersion: "1",
    builderVersion: "1",
  };
  const choice = {
    prefix: { conversation: buildPrefixRows(texts), tools },
    appendedTools: [],
    skippedTools: [],
    snapshotText: null,
  };
  return completePlan(choice, { session: "s", epoch: 1, agent, authorityScopeHashes: [], now: 0 });
}

const TURNS: Readonly<Record<string, readonly object[]>> = {
  messages: [{ role: "user", content: "hi" }],
  input: [{ role: "user", content: "hi" }],
  contents: [{ role: "user", parts: [{ text: "hi" }] }],
};

function bodyOf(plan: ContextPlan): string {
  const leading = renderPrefix(plan, null).leading?.name ?? "messages";
  return renderRequest(renderPrefix(plan, null), { model: "m", [leading]: TURNS[leading] });
}

function verify(plan: ContextPlan, body: string) {
  return verifyRequest(plan, null, Buffer.from(body));
}

for (const api of APIS) {
  test(`PI-16 a request of ${api} carries its plan, and every changed row is named`, () => {
    const plan = planFor(api);
    const body = bodyOf(plan);
    expect(JSON.parse(body)).toBeTypeOf("object");
    expect(verify(plan, body)).toEqual({ kind: "equal" });
    for (const [text, segment] of [
      ["You work.", "system"],
      ["mail_flag", "tools"],
      ["mail_move", "tools"],
      ["9223372036854775807", "tools"],
    ] as const) {
      const changed = verify(plan, body.replace(text, text.replace(/.$/, "0")));
      expect(changed).toMatchObject({ kind: "differs", segment });
    }
  });
}

test("PI-16 the first row that differs is named by its path, in the provider's order", () => {
  const plan = planFor("anthropic-messages");
  const body = bodyOf(plan);
  const expectPath = (text: string, path: string | null, planned: string | null) =>
    expect(verify(plan, text)).toMatchObject({ kind: "differs", path, planned });
  expectPath(body.replace("mail_move", "mail_moved").replace("You work.", ""), "/tools/1", "/tools/1");
  expectPath(body.replace('"You work."', '"You rest."'), "/system/0", "/system/0");
  expectPath(body.replace(/,"system":\[[^\]]*\]/, ""), null, "/system/0");
  expectPath(body.replace(/"system":\[/, '"system":[{"type":"text","text":"new"},'), "/system/0", "/system/0");
  expectPath("not JSON", null, "/tools/0");
});

test("PI-13 what a provider cannot see is no difference: markers, one-block text, escapes, a volatile host row", () => {
  const plan = planFor("anthropic-messages");
  const body = bodyOf(plan);
  const same = (text: string) => expect(verify(plan, text)).toEqual({ kind: "equal" });
  same(body.replace('"text":"You work."', '"cache_control":{"type":"ephemeral"},"text":"You work."'));
  same(body.replace('"text":"You work."', '"text":"You\\u0020work."'));
  same(body.replace('"system":[', '"system":[{"type":"text","text":"x-anthropic-billing-header: cch=12345;"},'));
  same(`  ${body}`);
  const chat = planFor("openai-completions");
  expect(
    verify(chat, bodyOf(chat).replace('"content":"You work."', '"content":[{"type":"text","text":"You work."}]')),
  ).toEqual({ kind: "equal" });
});

test("PI-13 what a provider can see is one: key order and the spelling of a number", () => {
  const plan = planFor("anthropic-messages");
  const body = bodyOf(plan);
  for (const [from, to] of [
    ['"10":{"type":"string"},"a":{}', '"a":{},"10":{"type":"string"}'],
    ["9223372036854775807", "9223372036854775807.0"],
  ] as const) {
    expect(verify(plan, body.replace(from, to))).toMatchObject({ kind: "differs", path: "/tools/0" });
  }
});

test("PI-14 rendering does not depend on the key order of a stored object", () => {
  const plan = planFor("anthropic-messages");
  const shuffled = JSON.parse(
    JSON.stringify({ ...plan.prefix.tools[0]?.input_schema, properties: { a: {}, "10": { type: "string" } } }),
  );
  const other = { type: "object", properties: { "10": { type: "string" }, a: {} } };
  const render = (schema: Record<string, unknown>) =>
    renderRequest(
      renderPrefix(
        { ...plan, prefix: { ...plan.prefix, tools: [{ ...plan.prefix.tools[0]!, input_schema: schema }] } },
        null,
      ),
      {},
    );
  expect(render(shuffled)).toBe(render(other));
});
