/** What a host that names things tells the engine: its runs, and the histories that it compacted or left. */
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { readAnthropicRequest } from "../../src/wire/anthropic-messages/request.ts";
import { assistant, type BodyRow, call, request, result, text, thinking, user } from "../dispatch/anthropic-body.ts";

const hashKey = Buffer.alloc(32, 7);
const place = { upstream: { name: "anthropic", url: "http://x", backend: "anthropic" }, mode: "guard" } as const;

/** @param operation the host's name for its run; absent: the host shows nothing of what it prepared */
async function send(engine: Engine, messages: readonly BodyRow[], operation?: string | null, sent = messages) {
  const { rows } = readAnthropicRequest(request(messages) as never);
  const prepared = { host: "pi", form: "wire", rows, edits: [] } as const;
  const checked = await engine.checkRequest({
    ...place,
    method: "POST",
    path: "/v1/messages",
    headers: { "x-api-key": "one" },
    body: Buffer.from(JSON.stringify(request(sent))),
    ...(operation !== undefined && { prepared: { ...prepared, operation } }),
  });
  return checked.record;
}

const start = [user("go"), assistant([call("a")]), user([result("a")])];
const step = [...start, assistant([call("b")]), user([result("b")])];
const notice = user("<notice>a host row</notice>");

test.each([
  ["in a new run of the host a known shape is not compared, although only a result is new", "second run", "admit"],
  ["a step that no run is named for goes on with the operation, which is compared", null, "admit-unverified"],
])("HO-10, DG-41 %s", async (_name, operation, verdict) => {
  const store = openMemoryStore();
  const before = await createEngine({ store, hashKey });
  const first = await send(before, start, "first run", [...start, notice]);
  expect(first.verdict.kind).toBe("admit-unverified");
  await before.close();
  const engine = await createEngine({ store, hashKey });
  const history = [...start, notice, assistant([call("b")]), user([result("b")])];
  const later = await send(engine, step, operation, history);
  expect(later).toMatchObject({ lane: first.lane, verdict: { kind: verdict } });
  await engine.close();
});

test("HO-10, DG-44 a lane that went out degraded is left behind by a compaction and by a branch, and stays so itself", async () => {
  const engine = await createEngine({ store: openMemoryStore(), hashKey });
  const interleaved = assistant([thinking("a"), call("a"), thinking("b"), text("x")]);
  const early = [user("go"), assistant([text("ok")])];
  const doomed = [...early, user("look"), interleaved, user([result("a")])];
  const fault = [assistant([call("b")]), user("stop")];
  expect((await send(engine, doomed)).outcome).toBe("degraded");
  expect((await send(engine, [...doomed, ...fault])).outcome).toBe("sent");
  const compacted = [user("A summary of what was said."), user("go on"), ...fault];
  expect((await send(engine, compacted)).outcome).toBe("repaired");
  const branch = [...early, user("look elsewhere"), ...fault];
  expect((await send(engine, branch)).outcome).toBe("repaired");
  expect((await send(engine, [...doomed, ...fault, assistant([text("ok")]), user("next")])).outcome).toBe("sent");
  await engine.close();
});
