/** ADR-0134: tool scope sets serialise sorted; a plan that was hashed unsorted is re-keyed, not re-planned. */
import { expect, test } from "vitest";
import { PlanStore, sessionStream } from "../../src/engine/plan-store.ts";
import { type RunRequest, type StartedRun, startRun } from "../../src/engine/start-run.ts";
import type { AgentDefinition } from "../../src/plan/agent-definition.ts";
import { renderWireRows } from "../../src/plan/candidate.ts";
import { findOlderEncoding } from "../../src/plan/older-encoding.ts";
import { decodePlanEvent, PLAN_CREATED } from "../../src/plan/plan-event.ts";
import { recognisePlan } from "../../src/plan/verify-plan.ts";
import { pinPlan } from "../../src/session/pinned-plan.ts";
import { readEpoch } from "../../src/session/session-plans.ts";
import type { EventStore, Owner } from "../../src/store/event-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { agentOfForeignPlan, FOREIGN_PLANS, readForeignPlan, SCOPES, schemaOfForeignPlan } from "./foreign-plan.ts";

const owner: Owner = { tenant: "house", principal: "ada" };
const PV8 = {
  prefixSha256: "38f2d03e68b8ea8ea66054b5ed439a8149aaaa802041069dcf4c7893c0ac8c7a",
  toolSchemaSha256: "44daf0351d107dc115a8f5b1bfc42e95a055872ccbaa493bf640e8e0f37b138f",
};

/** Given a session with this plan event in its stream. */
async function given(name: string): Promise<EventStore> {
  const store = await openStore("memory:");
  await store.append(owner, sessionStream("main"), 0, [{ type: PLAN_CREATED, data: readForeignPlan(name) }]);
  return store;
}

let runs = 0;
function start(store: EventStore, agent: AgentDefinition, more: Partial<RunRequest> = {}): Promise<StartedRun> {
  return startRun({ store, owner }, { session: "main", run: `run-${runs++}`, scopes: SCOPES, agent, ...more });
}

async function epochsOf(store: EventStore): Promise<string[]> {
  const { plans } = await new PlanStore(store, owner).allPlans("main");
  return plans.map((epoch) =>
    epoch.kind === "plan" ? `${epoch.plan.epoch} ${epoch.verb} ${epoch.reason}` : `${epoch.epoch} unreadable`,
  );
}

const CREATED = "1 create session_first_model_request";
const REKEYED = "2 rekey prefix_hash_canonicalized";

test("PI-7 PV8 and PV9 are the hashes of one plan, sorted and as it was recorded", () => {
  const { plan, recorded } = decodePlanEvent(readForeignPlan("unsorted_scopes"));
  expect(plan.prefixSha256).toBe("a7f08c5f6055150ff3561ce2f97dc6877372084bc7095c649ebcd09d9f117614");
  expect(plan.toolSchemaSha256).toBe("77c7ba3364795244b917a370017f2fc9d9109b1ce7ff8bbb4ad89b8a9d916963");
  expect(findOlderEncoding(recorded(), plan)).toMatchObject({ encoding: { name: "unsorted_scopes" }, identity: PV8 });
});

test("PI-30 a plan whose hashes are those of its canonical form stays current", async () => {
  const store = await given("current");
  expect(await start(store, agentOfForeignPlan(schemaOfForeignPlan("current")))).toMatchObject({ change: "keep" });
  expect(await epochsOf(store)).toEqual([CREATED]);
});

test("PI-31 a plan that was hashed unsorted is re-keyed: only the two hashes, epoch and time move", async () => {
  const store = await given("unsorted_scopes");
  const before = decodePlanEvent(readForeignPlan("unsorted_scopes")).plan;
  const clock = { now: () => 1_800_000_000_000 };
  const request = { session: "main", run: "first", scopes: SCOPES, agent: agentOfForeignPlan() };
  const started = await startRun({ store, owner, clock }, request);
  const plan = { ...before, ...PV8, epoch: 2, createdAt: clock.now() };
  expect(started).toMatchObject({ change: "rekey", reason: "prefix_hash_canonicalized", plan });
  expect(await start(store, agentOfForeignPlan())).toMatchObject({ change: "keep" });
  expect(await epochsOf(store)).toEqual([CREATED, REKEYED]);
});

test("PI-32 the provider receives the same bytes before and after a re-key", async () => {
  const store = await given("unsorted_scopes");
  const before = decodePlanEvent(readForeignPlan("unsorted_scopes")).plan;
  const after = await start(store, agentOfForeignPlan());
  expect(after.kind === "started" && renderWireRows(after.plan, null)).toEqual(renderWireRows(before, null));
});

test("RA-11 a run that is parked on the old record resumes after another run has re-keyed it", async () => {
  const store = await given("unsorted_scopes");
  const { plan } = decodePlanEvent(readForeignPlan("unsorted_scopes"));
  const parked = { pinsInitialised: true, pins: pinPlan(plan), pendingCalls: ["mail.flag"] };
  await new PlanStore(store, owner).savePinState("parked", 0, parked);
  expect(await start(store, agentOfForeignPlan())).toMatchObject({ change: "rekey" });
  const resumed = await start(store, agentOfForeignPlan(), { run: "parked" });
  expect(resumed).toMatchObject({ kind: "started", change: "keep", plan: { ...PV8, epoch: 2 } });
  expect(await store.counts()).not.toContainEqual(expect.objectContaining({ name: "plan_would_rotate" }));
});

test("PI-33 a content change is never accepted by a re-key", async () => {
  const agent = agentOfForeignPlan();
  const [tool] = agent.tools as [(typeof agent.tools)[0]];
  const changed = (spec: object) => ({ ...agent, tools: [{ ...tool, spec: { ...(tool.spec as object), ...spec } }] });
  for (const [today, expected] of [
    [{ ...agent, framing: "P2" }, "2 rebuild agent_prefix_changed"],
    [changed({ description: "flags" }), "2 rebuild agent_prefix_changed"],
    [changed({ version: "2" }), "2 restamp agent_prefix_changed"],
    [changed({ required_scopes: ["mail.read"] }), "2 restamp agent_prefix_changed"],
    [{ ...agent, builderVersion: "context-builder@12" }, "2 restamp builder_version_changed"],
  ] as const) {
    const store = await given("unsorted_scopes");
    await start(store, today);
    expect(await epochsOf(store)).toEqual([CREATED, expected]);
  }
});

/** These are current as soon as the tool's server sends its numbers as it did. */
const CURRENT = ["current", "jsonb_numbers", "negative_zero"];

test("PI-34 a plan whose numbers only jsonb respelled is recognised, and stays", async () => {
  const record = decodePlanEvent(readForeignPlan("jsonb_numbers"));
  expect(recognisePlan(record)).toBe("jsonb_numbers");
  const store = await given("jsonb_numbers");
  expect(await start(store, agentOfForeignPlan(schemaOfForeignPlan("jsonb_numbers")))).toMatchObject({
    change: "keep",
  });
});

for (const name of FOREIGN_PLANS.filter((plan) => !CURRENT.includes(plan))) {
  test(`PI-34 the ladder of older encodings: ${name} is re-keyed, and with one more change it rotates`, async () => {
    const { plan, recorded } = decodePlanEvent(readForeignPlan(name));
    expect(findOlderEncoding(recorded(), plan)?.encoding.name).toBe(name);
    const agent = agentOfForeignPlan(schemaOfForeignPlan(name));
    const store = await given(name);
    expect(await start(store, agent)).toMatchObject({ change: "rekey" });
    expect(await start(store, agent)).toMatchObject({ change: "keep" });
    expect(await epochsOf(store)).toEqual([CREATED, REKEYED]);
    const other = await given(name);
    expect(await start(other, { ...agent, instructions: "Be kind." })).toMatchObject({ change: "rebuild" });
  });
}

test("PI-34 a foreign plan with a value that has no canonical form names the field, and the session goes on", async () => {
  expect(readEpoch(readForeignPlan("negative_zero"))).toEqual({
    kind: "unreadable",
    epoch: 1,
    problem: "/plan/tools/0/input_schema/properties/n/default has no canonical form: it holds -0",
  });
  const store = await given("negative_zero");
  await start(store, agentOfForeignPlan(schemaOfForeignPlan("negative_zero")));
  expect(await epochsOf(store)).toEqual(["1 unreadable", "2 rebuild agent_prefix_changed"]);
});

test("PI-35 eight workers re-key at once: one event", async () => {
  const store = await given("unsorted_scopes");
  const started = await Promise.all(Array.from({ length: 8 }, () => start(store, agentOfForeignPlan())));
  expect(started.map((one) => one.kind === "started" && one.plan.epoch)).toEqual(Array(8).fill(2));
  expect(await epochsOf(store)).toEqual([CREATED, REKEYED]);
});
