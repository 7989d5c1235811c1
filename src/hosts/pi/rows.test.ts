import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../engine/create-engine.ts";
import type { Engine, Mode } from "../../engine/engine.ts";
import { openMemoryStore } from "../../store/memory/open-store.ts";
import type { Api, Upstream } from "../../wire/api.ts";
import type { AgentMessage } from "../agent-api.ts";
import { piArray } from "./rows.ts";

const ANTHROPIC: Upstream = { name: "anthropic", url: "https://api.anthropic.com", backend: "anthropic" };

const user = (content: unknown): AgentMessage => ({ role: "user", content, timestamp: 1 });
const says = (text: string): AgentMessage => ({ role: "assistant", content: [{ type: "text", text }] });
const calls = (...ids: string[]): AgentMessage => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "toolCall", id, name: "bash", arguments: { command: id } })),
  stopReason: "toolUse",
});
const result = (id: string, text = `result of ${id}`): AgentMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "bash",
  content: [{ type: "text", text }],
  isError: false,
});
const words = (content: unknown): AgentMessage => ({ role: "user", content, timestamp: 0 });

const go = user("go");
const notice = user("Mind the time.");
const [one, two] = [result("one"), result("two")];

interface Place {
  readonly upstream?: Upstream;
  readonly api?: Api;
  readonly mode?: Mode;
}

async function open(): Promise<Engine> {
  const engine = await createEngine({ store: openMemoryStore(), hashKey: new Uint8Array(32) });
  onTestFinished(() => engine.close());
  return engine;
}

async function prepare(messages: readonly AgentMessage[], place: Place = {}, running?: Engine) {
  const { upstream = ANTHROPIC, api = "anthropic-messages", mode = "guard" } = place;
  const array = piArray(messages);
  const engine = running ?? (await open());
  const turn = engine.prepareTurn({
    host: "pi",
    upstream: { ...upstream, api },
    model: "claude-opus-5-5",
    mode,
    array,
    operation: null,
  });
  return { given: array.rows, ...turn };
}

test.each<readonly [name: string, given: readonly AgentMessage[], expected: readonly AgentMessage[]]>([
  ["a result behind a notice", [go, calls("one"), notice, one], [go, calls("one"), one, notice]],
  [
    "a result behind a message of an extension",
    [go, calls("one"), { role: "custom", customType: "x", content: "Hm" }, one],
    [go, calls("one"), one, { role: "custom", customType: "x", content: "Hm" }],
  ],
  [
    "one of two results, behind a word of the user",
    [go, calls("one", "two"), two, notice, one, says("well"), notice],
    [go, calls("one", "two"), two, one, notice, says("well"), notice],
  ],
])("HO-9, DG-20, DG-22 %s goes back to its call, as the same object", async (_name, given, expected) => {
  const { rows, prepared } = await prepare(given);
  expect(rows).toEqual(expected);
  for (const row of rows) expect(given).toContain(row);
  expect(prepared.edits.map(({ rule, op }) => `${rule} ${op}`)).toEqual(["A-DUPRES-7 move"]);
  expect((await prepare(rows)).prepared.edits).toEqual([]);
});

test("HO-9, DG-22 a result without its call stays as the user's text, with its pictures", async () => {
  const picture = { type: "image", data: "AAAA", mimeType: "image/png" };
  const lost = { ...result("nobody", "Hello"), content: [{ type: "text", text: "Hello" }, picture] };
  const { rows, prepared } = await prepare([go, says("ok"), lost, notice]);
  const text = expect.stringContaining("Hello");
  expect(rows).toEqual([go, says("ok"), words([{ type: "text", text }, picture]), notice]);
  expect((rows[2]!.content as unknown[])[1]).toBe(picture);
  expect(prepared.edits.map(({ rule }) => rule)).toEqual(["A-PAIR-2", "A-PAIR-2"]);
});

test("HO-9 what Pi leaves out of a request is left out here: a broken turn, a command kept from the model", async () => {
  const aborted = { ...calls("one"), stopReason: "aborted" };
  const { rows } = await prepare([go, aborted, one, notice]);
  expect(rows).toEqual([go, aborted, words(expect.stringContaining("result of one")), notice]);
  const hidden = { role: "bashExecution", command: "ls", output: "", excludeFromContext: true };
  expect((await prepare([go, calls("one"), hidden, one])).prepared.edits).toEqual([]);
});

test.each<[name: string, given: readonly AgentMessage[], place?: Place]>([
  ["a legal history", [go, calls("one", "two"), two, one, says("ok"), notice]],
  ["a call without a result, which Pi answers itself", [go, calls("one"), notice]],
  ["further results and repeated ids, which reach the payload whole", [go, calls("one"), one, one, calls("one"), one]],
  ["a late result of a call that the model went on without", [go, calls("one"), notice, says("well"), one, notice]],
  ["a message of an unknown kind between call and result", [go, calls("one"), { role: "dream" }, one]],
  ["in observe mode", [go, calls("one"), notice, one], { mode: "observe" }],
  ["at a server that nobody names", [go, calls("one"), notice, one], { upstream: { name: "x", url: "http://x" } }],
  ["at one that is not known to mind", [go, calls("one"), notice, one], { upstream: { ...ANTHROPIC, backend: "zai" } }],
  [
    "where nobody who speaks the API is known to mind",
    [go, calls("one"), notice, one],
    { api: "google-generative-ai" },
  ],
])("HO-9, DG-11 the array stays as it is: %s", async (_name, given, place) => {
  const { rows, prepared, given: sent } = await prepare(given, place);
  expect(rows).toBe(sent);
  expect(prepared.edits).toEqual([]);
});
