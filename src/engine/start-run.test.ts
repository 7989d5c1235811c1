import { expect, test } from "vitest";
import { PLAIN_SCOPE_HASHES, type ScopeKeys } from "../authority/scope-hash.ts";
import { canonicalBytes } from "../lib/canonical-json.ts";
import { sha256Hex } from "../lib/sha256.ts";
import type { AgentDefinition } from "../plan/agent-definition.ts";
import { renderPrefix, renderRequest } from "../plan/render.ts";
import type { EventStore } from "../store/event-store.ts";
import { openStore } from "../store/open-store.ts";
import { eraseSnapshots } from "./erase-snapshots.ts";
import { LOCAL_OWNER as owner, PlanStore, sessionStream } from "./plan-store.ts";
import { type RunRequest, type StartedRun, startRun } from "./start-run.ts";

const agent: AgentDefinition = {
  api: "anthropic-messages",
  model: "anthropic:a",
  framing: "Framing.",
  instructions: "",
  persona: null,
  skills: [],
  tools: [{ source: "configured", spec: { name: "mail", version: "1", required_scopes: ["mail"] } }],
  policyVersion: "1",
  builderVersion: "1",
};

let runs = 0;
function start(store: EventStore, changes: Partial<RunRequest> = {}): Promise<StartedRun> {
  runs += 1;
  return startRun({ store, owner }, { session: "main", run: `run-${runs}`, scopes: ["mail"], agent, ...changes });
}

test("PI-20 a start that loses every race gives up with what to do", async () => {
  const store = await openStore("memory:");
  const losing = new Proxy(store, {
    get: (target, member) =>
      member === "append" ? async () => ({ kind: "conflict", version: 1 }) : Reflect.get(target, member).bind(target),
  });
  await expect(start(losing)).rejects.toMatchObject({
    code: "session_contended",
    message: expect.stringMatching(/16 times/),
  });
});

test("PI-20 events of other kinds in the session's stream are no race", async () => {
  const store = await openStore("memory:");
  const note = { type: "session.note.added", data: canonicalBytes({ v: 1 }) };
  await store.append(owner, sessionStream("main"), 0, [note]);
  expect(await start(store)).toMatchObject({ change: "create" });
  await store.append(owner, sessionStream("main"), 2, [note, note]);
  expect(await start(store)).toMatchObject({ change: "keep" });
  expect(await start(store, { agent: { ...agent, framing: "2" } })).toMatchObject({
    change: "rebuild",
    plan: { epoch: 2 },
  });
});

test("PI-24 epochs are counted by reason, and what pinned runs would have done too", async () => {
  const store = await openStore("memory:");
  await start(store, { run: "pinned" });
  await start(store, { scopes: ["mail", "files"] });
  await start(store, { run: "pinned", agent: { ...agent, framing: "2" } });
  expect(await store.counts()).toEqual([
    { name: "plan_epoch_opened", labels: { reason: "run_authority_changed", verb: "restamp" }, count: 1 },
    { name: "plan_epoch_opened", labels: { reason: "session_first_model_request", verb: "create" }, count: 1 },
    { name: "plan_would_rotate", labels: { reason: "agent_prefix_changed" }, count: 1 },
  ]);
});

test("RA-1 the scopes are those of the moment, in whichever algorithm the tenant has a key for", async () => {
  const store = await openStore("memory:");
  const keys: ScopeKeys = { currentId: "k1", keys: new Map([["k1", new Uint8Array(32)]]) };
  const scopes = new Set(["mail"]);
  const starting = start(store, { scopes, keys });
  scopes.add("files");
  expect(await starting).toMatchObject({ plan: { authorityScopeHashes: [expect.stringMatching(/^hmac-sha256:k1:/)] } });
  expect(await start(store, { keys })).toMatchObject({ change: "keep" });
  // Without the key nothing is known of the stored scopes: the plan grows once, and is then known again.
  expect(await start(store, { keys: PLAIN_SCOPE_HASHES })).toMatchObject({
    change: "restamp",
    reason: "run_authority_changed",
  });
  expect(await start(store, { keys: PLAIN_SCOPE_HASHES })).toMatchObject({ change: "keep" });
});

test("PI-12 a memory that is erased rotates the next plan once, and a pinned run says why it can't go on", async () => {
  const store = await openStore("memory:");
  const memoryText = "Likes tea.";
  const first = await start(store, { memoryText, run: "pinned" });
  expect(first).toMatchObject({ snapshotText: memoryText });
  const stores = { store, owner };
  expect(await eraseSnapshots(stores, "another session")).toEqual([]);
  expect(await eraseSnapshots(stores, "main")).toEqual([sha256Hex(memoryText)]);
  expect(await eraseSnapshots(stores, "main")).toEqual([]);

  const pinned = await start(store, { run: "pinned" });
  expect(() => pinned.kind === "started" && renderPrefix(pinned.plan, pinned.snapshotText)).toThrow(
    expect.objectContaining({ code: "snapshot_erased" }),
  );
  expect(await start(store)).toMatchObject({ change: "rebuild", reason: "agent_prefix_changed", snapshotText: null });
  expect(await start(store)).toMatchObject({ change: "keep" });
  // The same words, said again later, are a memory again.
  expect(await start(store, { memoryText, agent: { ...agent, framing: "2" } })).toMatchObject({
    snapshotText: memoryText,
  });
  expect(await start(store, { agent: { ...agent, framing: "2" } })).toMatchObject({
    change: "keep",
    snapshotText: memoryText,
  });
});

test("PI-16 a request text is built around the plan's members, which the turn can't replace", async () => {
  const started = await start(await openStore("memory:"));
  if (started.kind !== "started") throw new Error(started.kind);
  const prefix = renderPrefix(started.plan, started.snapshotText);
  expect(JSON.parse(renderRequest(prefix, { model: "a", messages: [], metadata: undefined }))).toEqual({
    tools: [{ name: "mail", input_schema: { type: "object", properties: {} } }],
    system: [{ type: "text", text: "Framing." }],
    model: "a",
    messages: [],
  });
  expect(() => renderRequest(prefix, { system: "mine" })).toThrow(TypeError);
});

test("PI-20 an unusable tool is an error before anything is stored", async () => {
  const store = await openStore("memory:");
  const tools = [{ source: "configured" as const, spec: { name: "no spaces please", version: "1" } }];
  await expect(start(store, { agent: { ...agent, tools } })).rejects.toMatchObject({ code: "tool_refused" });
  expect((await new PlanStore(store, owner).allPlans("main")).plans).toEqual([]);
});

test("PI-22 a second start gets the very plan object that the first one read, unless the store has another", async () => {
  const store = await openStore("memory:");
  await start(store);
  const [second, third] = [await start(store), await start(store)];
  expect(second.kind === "started" && third.kind === "started" && second.plan === third.plan).toBe(true);
  await start(store, { agent: { ...agent, framing: "2" } });
  expect(await start(store, { agent: { ...agent, framing: "2" } })).toMatchObject({
    change: "keep",
    plan: { epoch: 2 },
  });
});
