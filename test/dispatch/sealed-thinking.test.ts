/** Faults of signed thinking that only earlier exchanges show. */
import { expect, test } from "vitest";
import { judgeBody } from "../../src/engine/judge-body.ts";
import { assistant, type BodyRow, call, request, result, text, thinking, tool, user } from "./anthropic-body.ts";

const BOUND = { model: "claude-opus-5-5", thinking: { type: "adaptive" } };
const answer = [thinking("first the plan"), call("a")];
const first = request([user("go")], BOUND);
const later = (messages: readonly BodyRow[], more: object = {}) => request(messages, { ...BOUND, ...more });
const whole = [user("go"), assistant(answer), user([result("a")])];

function received(sent: object, content: readonly object[], backend = "anthropic"): object {
  return {
    api: "anthropic-messages",
    backend,
    request: sent,
    response: { id: "msg_1", type: "message", role: "assistant", content },
  };
}

function judged(body: object, ...exchanges: readonly object[]) {
  const judgement = judgeBody(Buffer.from(JSON.stringify(body)), { received: exchanges });
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  const { verdict, repaired } = judgement;
  const rules = verdict.kind === "unsafe" ? verdict.hard.map(({ rule }) => rule) : [];
  const messages = repaired === null ? null : (JSON.parse(Buffer.from(repaired).toString()).messages as BodyRow[]);
  return { rules: [...new Set(rules)], messages, verdict };
}

test("A-PREFIX-19 DG-27 thinking behind another prefix is found, and goes", () => {
  const changed = [
    later([user("go!"), ...whole.slice(1)]),
    later([user("a memory"), ...whole]),
    later(whole, { system: "be brief" }),
    later(whole, { tools: [tool("read"), tool("write")] }),
  ];
  for (const body of changed) {
    const { rules, messages } = judged(body, received(first, answer));
    expect(rules).toEqual(["A-PREFIX-19"]);
    expect(JSON.stringify(messages)).not.toContain("sealed-");
  }
});

test("A-PREFIX-19 markers, string or one block, and rows that the provider merges are the same prefix", () => {
  const marked = { ...text("go"), cache_control: { type: "ephemeral" } };
  const same = [later(whole), later([user([marked]), ...whole.slice(1)]), later([...whole, user("more")])];
  for (const body of same) expect(judged(body, received(first, answer)).rules).toEqual([]);
});

test("A-PREFIX-19 DG-27 thinking that was made behind a repaired prefix stays when the broken one goes again", () => {
  const broken = later([user("changed"), ...whole.slice(1)]);
  const repaired = judged(broken, received(first, answer));
  const second = [thinking("now the answer"), text("done")];
  const seen = [received(first, answer), received({ ...broken, messages: repaired.messages }, second)];
  const { messages } = judged(later([user("changed"), ...whole.slice(1), assistant(second), user("thanks")]), ...seen);
  expect(JSON.stringify(messages)).not.toContain("first the plan");
  expect(JSON.stringify(messages)).toContain("now the answer");
});

test("A-PREFIX-19 DG-27 the user's own choice stands: drop_block is no fault, error gets no repair", () => {
  const moved = [user("changed"), ...whole.slice(1)];
  const choose = (behaviour: string) => ({
    thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: behaviour } },
  });
  expect(judged(later(moved, choose("drop_block")), received(first, answer)).rules).toEqual([]);
  const strict = judged(later(moved, choose("error")), received(first, answer));
  expect(strict).toMatchObject({ rules: ["A-PREFIX-19"], messages: null });
});

test("A-THINK-11 changed words of signed thinking come back as they were", () => {
  const blanked = { ...thinking("first the plan"), thinking: "" };
  const unbound = { model: "claude-opus-4-6" };
  const body = request([user("go"), assistant([blanked, call("a")]), user([result("a")])], unbound);
  const { rules, messages } = judged(body, received(request([user("go")], unbound), answer));
  expect(rules).toEqual(["A-THINK-11"]);
  expect(messages?.[1]).toEqual(assistant(answer));
});

test("A-THINK-11 a turn in another order, or two answers in one row, loses its thinking as a whole", () => {
  const unbound = { model: "claude-opus-4-6" };
  const interleaved = [thinking("one"), call("a"), thinking("two"), call("b")];
  const reordered = [thinking("one"), thinking("two"), call("a"), call("b")];
  const results = user([result("a"), result("b")]);
  const start = request([user("go")], unbound);
  const exact = request([user("go"), assistant(interleaved), results], unbound);
  expect(judged(exact, received(start, interleaved)).rules).toEqual([]);
  const moved = judged(request([user("go"), assistant(reordered), results], unbound), received(start, interleaved));
  expect(moved.rules).toEqual(["A-THINK-11"]);
  expect(moved.messages?.[1]).toEqual(assistant([call("a"), call("b")]));
  const next = request([user("go"), assistant(interleaved.slice(0, 2)), user([result("a")])], unbound);
  const collapsed = judged(exact, received(start, interleaved.slice(0, 2)), received(next, interleaved.slice(2)));
  expect(collapsed.rules).toEqual(["A-THINK-11"]);
});

test("A-SIG-18 DG-28 thinking of another issuer is dropped, that of another door to the same models is not", () => {
  const unbound = { model: "claude-opus-4-6" };
  const body = request([user("go"), assistant([thinking("plan"), text("read")]), user("and?")], unbound);
  const seen = (backend: string) => received(request([user("go")], unbound), [thinking("plan"), text("read")], backend);
  expect(judged(body, seen("minimax"))).toMatchObject({ rules: ["A-SIG-18"] });
  expect(judged(body, seen("vertex")).rules).toEqual([]);
});
