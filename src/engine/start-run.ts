/**
 * A run starts: which plan does it go on with? Loads what the store holds, asks the pure decision, appends with the
 * expected version, and pins the run to its plan.
 */
import { isPinned, type PinState, type ToolPins } from "../authority/pins.ts";
import { PLAIN_SCOPE_HASHES, type ScopeKeys } from "../authority/scope-hash.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { HoldfastError } from "../lib/error.ts";
import type { AgentDefinition } from "../plan/agent-definition.ts";
import type { ContextPlan } from "../plan/context-plan.ts";
import type { EpochReason, EpochVerb } from "../plan/plan-event.ts";
import { decidePlan, type PlanDecision } from "../session/decide-plan.ts";
import { findOwnEpoch, NO_PINS, pinPlan } from "../session/pinned-plan.ts";
import type { RunStart } from "../session/run-start.ts";
import type { AppendResult, EventStore, Owner } from "../store/event-store.ts";
import { type LoadedPlans, PlanStore } from "./plan-store.ts";

export interface RunRequest {
  readonly session: string;
  readonly run: string;
  /** Effective scopes, stamped when the run was submitted. They are copied: later changes are no part of this run. */
  readonly scopes: Iterable<string>;
  readonly agent: AgentDefinition;
  /** Today's memory; it enters a plan only when one is built. */
  readonly memoryText?: string;
  readonly keys?: ScopeKeys;
  /** False where the caller is not at a run boundary; true if not given. */
  readonly refreshAuthority?: boolean;
  /** True ends pinned runs whose tools have been revoked (RA-11); false if not given. */
  readonly strictRevocation?: boolean;
}

export interface Started {
  readonly kind: "started";
  readonly plan: ContextPlan;
  readonly pins: ToolPins;
  /** The text behind the plan's memory row, null where it has none. */
  readonly snapshotText: string | null;
  /** What happened to the session's plan on the way. */
  readonly change: "keep" | EpochVerb;
  readonly reason: EpochReason | null;
}

export type StartedRun = Started | Extract<PlanDecision, { kind: "tool_pin_mismatch" }>;

export interface RunStores {
  readonly store: EventStore;
  readonly owner: Owner;
  readonly clock?: Clock;
}

/** Every lost race is another worker's success; more of them in a row than this, and something else is wrong (PI-20). */
const TRIES_MAX = 16;

/**
 * @throws HoldfastError where the store or a tool specification is broken, `session_contended` where other workers
 * changed the session's plan or this run 16 times in a row
 */
export async function startRun(
  { store, owner, clock = systemClock }: RunStores,
  request: RunRequest,
): Promise<StartedRun> {
  const plans = new PlanStore(store, owner);
  const scopes = new Set(request.scopes);
  let head = 0;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { pinState, version: runVersion } = await plans.pinState(request.run);
    const loaded = await loadPlans(plans, request.session, pinState);
    const snapshotText = await plans.snapshotText(findOwnEpoch(loaded.plans, pinState)?.plan ?? null);
    const run = toRunStart(request, scopes, pinState, snapshotText, clock.now());
    const decision = decidePlan(loaded.plans, run);
    if (decision.kind === "tool_pin_mismatch") {
      await plans.count("plan_pin_mismatch", { why: decision.why });
      return decision;
    }
    if (decision.kind === "new-epoch") {
      const result = await openEpoch(plans, Math.max(head, loaded.version), decision);
      // Events of other kinds stand in the stream too: the next try appends behind them, having seen every plan before.
      if (result.kind === "conflict") {
        head = result.version;
        continue;
      }
    }
    const started = toStartedRun(decision, run);
    if (isPinned(pinState)) {
      await countResume(plans, decision);
      return started;
    }
    const pinned: PinState = { ...pinState, pinsInitialised: true, pins: started.pins };
    if ((await plans.savePinState(request.run, runVersion, pinned)).kind === "appended") return started;
  }
  throw new HoldfastError(
    "session_contended",
    `The session ${request.session} was changed by other workers ${TRIES_MAX} times while the run ${request.run} started; start it again.`,
  );
}

function toRunStart(
  request: RunRequest,
  scopes: ReadonlySet<string>,
  pinState: PinState,
  snapshotText: string | null,
  now: number,
): RunStart {
  const { session, agent, memoryText = "", keys = PLAIN_SCOPE_HASHES } = request;
  const { refreshAuthority = true, strictRevocation = false } = request;
  return { session, agent, memoryText, keys, refreshAuthority, strictRevocation, scopes, pinState, snapshotText, now };
}

/** The newest epoch is enough, but for a run that is pinned to another one and for a record that cannot be read. */
async function loadPlans(plans: PlanStore, session: string, pinState: PinState): Promise<LoadedPlans> {
  const newest = await plans.newestPlan(session);
  const [epoch] = newest.plans;
  if (epoch === undefined || (epoch.kind === "plan" && !isPinned(pinState))) return newest;
  return epoch.kind === "plan" && epoch.plan.epoch === pinState.pins?.epoch ? newest : plans.allPlans(session);
}

async function openEpoch(
  plans: PlanStore,
  expectedVersion: number,
  { event, snapshotText }: Extract<PlanDecision, { kind: "new-epoch" }>,
): Promise<AppendResult> {
  if (snapshotText !== null) await plans.saveSnapshot(snapshotText);
  const result = await plans.appendPlan(event.plan.session, expectedVersion, event);
  if (result.kind === "appended") await plans.count("plan_epoch_opened", { reason: event.reason, verb: event.verb });
  return result;
}

function toStartedRun(decision: Exclude<PlanDecision, { kind: "tool_pin_mismatch" }>, run: RunStart): Started {
  const fresh = decision.kind === "new-epoch";
  const plan = fresh ? decision.event.plan : decision.plan;
  return {
    kind: "started",
    plan,
    pins: isPinned(run.pinState) ? (run.pinState.pins ?? NO_PINS) : pinPlan(plan),
    snapshotText: fresh ? decision.snapshotText : run.snapshotText,
    change: fresh ? decision.event.verb : "keep",
    reason: fresh ? decision.event.reason : null,
  };
}

/** What `doctor` shows of runs that finish on an older plan. */
async function countResume(plans: PlanStore, decision: PlanDecision): Promise<void> {
  if (decision.kind !== "keep") return;
  if (decision.wouldRotate !== null) await plans.count("plan_would_rotate", { reason: decision.wouldRotate });
  if (decision.encoding === null) await plans.count("plan_unverified", {});
}
