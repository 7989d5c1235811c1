/** Given the events of a session, when a run starts, then the plan is kept or this one event follows. */
import { expect, test } from "vitest";
import { type PinState, UNPINNED } from "../authority/pins.ts";
import { hashScopes, PLAIN_SCOPE_HASHES } from "../authority/scope-hash.ts";
import type { AgentDefinition } from "../plan/agent-definition.ts";
import { encodePlanEvent, type PlanEvent, ROTATION_REASONS } from "../plan/plan-event.ts";
import { renderToolAdditions } from "../plan/render.ts";
import { decidePlan, type PlanDecision } from "./decide-plan.ts";
import { pinPlan } from "./pinned-plan.ts";
import type { RunStart } from "./run-start.ts";
import { foldPlans } from "./session-plans.ts";

const agent: AgentDefinition = {
  api: "anthropic-messages",
  model: "anthropic:a",
  framing: "Framing.",
  instructions: "Instructions.",
  persona: { text: "Persona.", version: "1" },
  skills: [{ name: "skill", description: "Helps." }],
  tools: [
    { source: "configured", spec: { name: "mail", version: "1", required_scopes: ["mail"], timeout_ms: 1000 } },
    { source: "configured", spec: { name: "files", version: "1", required_scopes: ["files"] } },
  ],
  policyVersion: "policy@1",
  builderVersion: "builder@1",
};

const MEMORY = "She likes short letters.";

function runOf(changes: Partial<RunStart> = {}): RunStart {
  return {
    session: "main",
    scopes: new Set(["mail"]),
    agent,
    memoryText: MEMORY,
    snapshotText: MEMORY,
    pinState: UNPINNED,
    keys: PLAIN_SCOPE_HASHES,
    refreshAuthority: true,
    strictRevocation: false,
    now: 0,
    ...changes,
  };
}

function when(given: readonly PlanEvent[], run: Partial<RunStart>): PlanDecision {
  return decidePlan(foldPlans(given.map(encodePlanEvent)), runOf(run));
}

function eventOf(decision: PlanDecision): PlanEvent {
  if (decision.kind !== "new-epoch") throw new Error(`no event, but ${decision.kind}`);
  return decision.event;
}

/** The first plan of the session, and what follows from each of these runs. */
function given(...runs: readonly Partial<RunStart>[]): readonly PlanEvent[] {
  const events: PlanEvent[] = [];
  for (const run of runs) events.push(eventOf(when(events, run)));
  return events;
}

const created = given({});
const first = created[0]!.plan;

function checkKept(decision: PlanDecision, epoch: number) {
  expect(decision).toMatchObject({ kind: "keep", plan: { epoch } });
}

function checkEvent(decision: PlanDecision, verb: PlanEvent["verb"], reason: PlanEvent["reason"]) {
  expect(eventOf(decision)).toMatchObject({ verb, reason });
}

test("PI-20 a plan is one event, and reading it gives the same plan", () => {
  const [epoch] = foldPlans(created.map(encodePlanEvent));
  expect(epoch).toMatchObject({ kind: "plan", verb: "create", reason: "session_first_model_request" });
  expect(epoch?.kind === "plan" && epoch.plan).toEqual(first);
  checkKept(when(created, {}), 1);
});

test("PI-21 of all reasons that hold, the first of the list is the reason of one rotation", () => {
  const changes: readonly [(typeof ROTATION_REASONS)[number], (run: RunStart) => RunStart][] = [
    ["run_authority_changed", (run) => ({ ...run, scopes: new Set(["mail", "files"]) })],
    ["model_changed", (run) => ({ ...run, agent: { ...run.agent, model: "anthropic:b" } })],
    ["policy_version_changed", (run) => ({ ...run, agent: { ...run.agent, policyVersion: "policy@2" } })],
    ["builder_version_changed", (run) => ({ ...run, agent: { ...run.agent, builderVersion: "builder@2" } })],
    ["persona_changed", (run) => ({ ...run, agent: { ...run.agent, persona: { text: "Other.", version: "2" } } })],
    ["agent_prefix_changed", (run) => ({ ...run, agent: { ...run.agent, instructions: "Other." } })],
  ];
  expect(changes.map(([reason]) => reason)).toEqual(ROTATION_REASONS);
  for (let mask = 1; mask < 2 ** changes.length; mask++) {
    const held = changes.filter((_, index) => mask & (1 << index));
    const run = held.reduce((changed, [, change]) => change(changed), runOf());
    const rotated = when(created, run);
    expect(eventOf(rotated)).toMatchObject({ reason: held[0]![0], plan: { epoch: 2 } });
    checkKept(when([...created, eventOf(rotated)], run), 2);
  }
});

test("PI-21 a persona that was edited without a new version is still the reason", () => {
  checkEvent(
    when(created, { agent: { ...agent, persona: { text: "Other.", version: "1" } } }),
    "rebuild",
    "persona_changed",
  );
});

test("PI-10 memory, skills and new tools of today wait for the next plan", () => {
  const tools = [...agent.tools, { source: "configured" as const, spec: { name: "new", version: "1" } }];
  checkKept(when(created, { memoryText: "She moved.", agent: { ...agent, tools, skills: [] } }), 1);
  const rebuilt = when(created, {
    memoryText: "She moved.",
    agent: { ...agent, tools, skills: [], instructions: "Other." },
  });
  expect(rebuilt).toMatchObject({ snapshotText: "She moved." });
  expect(eventOf(rebuilt).plan.prefix.tools.map((tool) => tool.name)).toEqual(["mail", "new"]);
  expect(eventOf(rebuilt).plan.prefix.conversation.map((row) => row.kind)).not.toContain("skill_catalogue");
});

test("PI-13, PI-23 a change that the provider cannot see is a re-stamp, one that it sees is a rebuild", () => {
  const withMail = (spec: object) => ({
    ...agent,
    tools: [
      { source: "configured" as const, spec: { name: "mail", version: "1", required_scopes: ["mail"], ...spec } },
    ],
  });
  for (const spec of [
    { timeout_ms: 2000 },
    { output_schema: {} },
    { version: "2" },
    { required_scopes: ["mail", "post"] },
  ]) {
    const decision = when(created, { agent: withMail(spec) });
    checkEvent(decision, "restamp", "agent_prefix_changed");
    expect(eventOf(decision).plan.wire).toEqual(first.wire);
    expect(eventOf(decision).plan.authorityScopeHashes).toEqual(first.authorityScopeHashes);
  }
  for (const spec of [{ description: "d" }, { input_schema: { type: "object", properties: { a: {} } } }]) {
    checkEvent(when(created, { agent: withMail(spec) }), "rebuild", "agent_prefix_changed");
  }
  checkEvent(
    when(created, { agent: { ...agent, persona: { text: "Persona.", version: "2" } } }),
    "restamp",
    "persona_changed",
  );
  checkEvent(when(created, { agent: { ...agent, tools: [] } }), "rebuild", "agent_prefix_changed");
});

test("PI-12 markers, authority, versions and times are outside both hashes", () => {
  const other = eventOf(
    when([], {
      now: 9,
      scopes: new Set(["mail", "more"]),
      agent: {
        ...agent,
        policyVersion: "2",
        builderVersion: "2",
        model: "x",
        cacheBreakpoints: [{ segment: "tools", ttl: "1h" }],
      },
    }),
  );
  expect(other.plan).toMatchObject({ prefixSha256: first.prefixSha256, toolSchemaSha256: first.toolSchemaSha256 });
});

test("PI-17 every epoch has one prefix hash, and the next epoch has the next number", () => {
  const events = given({}, { agent: { ...agent, instructions: "2" } }, {}, { scopes: new Set(["files"]) });
  expect(events.map(({ plan }) => plan.epoch)).toEqual([1, 2, 3, 4]);
});

test("RA-3 new grants keep snapshot and catalogue, and stamp this run's scopes", () => {
  const scopes = new Set(["mail", "files"]);
  const decision = when(created, { scopes, memoryText: "New.", agent: { ...agent, skills: [] } });
  checkEvent(decision, "rebuild", "run_authority_changed");
  const { plan } = eventOf(decision);
  expect(plan.prefix.conversation).toEqual(first.prefix.conversation);
  expect(plan.authorityScopeHashes).toEqual(hashScopes(scopes, PLAIN_SCOPE_HASHES));
  expect(decision).toMatchObject({ snapshotText: MEMORY });
});

test("RA-3 what is appended stands behind an unchanged prefix, and is pinned with it", () => {
  const appending = { ...agent, appendsTools: true };
  const decision = when(created, { scopes: new Set(["mail", "files"]), agent: appending });
  checkEvent(decision, "append", "run_authority_changed");
  const { plan } = eventOf(decision);
  expect(plan).toMatchObject({ prefixSha256: first.prefixSha256, wire: first.wire });
  expect(pinPlan(plan).tools.map((tool) => tool.name)).toEqual(["mail", "files"]);
  const definition = { name: "files", input_schema: { type: "object", properties: {} } };
  const content = [{ type: "tool_addition", tool: { type: "tool_definition", definition } }];
  expect(renderToolAdditions(plan)).toEqual({ role: "system", content });
  expect(renderToolAdditions(first)).toBe(null);
  checkEvent(
    when(created, { scopes: new Set(["mail", "files"]), agent: { ...appending, instructions: "2" } }),
    "rebuild",
    "run_authority_changed",
  );
});

test("RA-6 a growth reads the agent and the run, and changes neither", () => {
  const frozen = Object.freeze({
    ...agent,
    tools: Object.freeze(agent.tools.map(Object.freeze)) as AgentDefinition["tools"],
  });
  const scopes = new Set(["mail", "files"]);
  checkEvent(when(created, { agent: frozen, scopes }), "rebuild", "run_authority_changed");
  expect([...scopes]).toEqual(["mail", "files"]);
});

test("RA-10 pins hold the tools of the plan, its epoch and its hash", () => {
  const [spec] = first.prefix.tools;
  expect(pinPlan(first)).toEqual({
    epoch: 1,
    prefixSha256: first.prefixSha256,
    tools: [{ name: "mail", version: "1", spec }],
  });
});

test("RA-11 a pinned run finishes on its own plan, and says why another would rotate", () => {
  const pinState: PinState = { pinsInitialised: true, pins: pinPlan(first), pendingCalls: ["mail"] };
  const events = given({}, { agent: { ...agent, instructions: "2" } }, { agent: { ...agent, instructions: "3" } });
  const resumed = when(events, { pinState, scopes: new Set(["files"]), agent: { ...agent, model: "x" } });
  expect(resumed).toMatchObject({
    kind: "keep",
    plan: first,
    encoding: "canonical",
    wouldRotate: "run_authority_changed",
  });
  expect(when(created, { pinState })).toMatchObject({ kind: "keep", wouldRotate: null });
});

test("RA-11 in strict mode a revocation ends a pinned run, naming the tool", () => {
  const pinState: PinState = { pinsInitialised: true, pins: pinPlan(first), pendingCalls: [] };
  const decision = when(created, { pinState, scopes: new Set(), strictRevocation: true });
  expect(decision).toEqual({ kind: "tool_pin_mismatch", tool: "mail", why: "revoked" });
  checkKept(when(created, { pinState, scopes: new Set() }), 1);
});

test("RA-12 pins that no plan of the session serves are a mismatch, naming the tool", () => {
  const [pin] = pinPlan(first).tools;
  const check = (pins: PinState["pins"], why: string) =>
    expect(when(created, { pinState: { pinsInitialised: true, pins, pendingCalls: [] } })).toEqual({
      kind: "tool_pin_mismatch",
      tool: "mail",
      why,
    });
  check({ ...pinPlan(first), epoch: 7 }, "missing");
  check({ ...pinPlan(first), tools: [{ ...pin!, version: "0" }] }, "version");
});

test("PI-12 an erased snapshot is a changed prefix: the next plan has none of its text", () => {
  const decision = when(created, { snapshotText: null, memoryText: "" });
  checkEvent(decision, "rebuild", "agent_prefix_changed");
  expect(eventOf(decision).plan.prefix.conversation.map((row) => row.kind)).not.toContain("memory");
  checkEvent(when(created, { snapshotText: null, scopes: new Set(["files"]) }), "rebuild", "run_authority_changed");
});
