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
import { decidePlan, type PlanDecision, pinPlan } from "../session/decide-plan.ts";
import { epochNumber } from "../session/session-plans.ts";
import type { EventStore, Owner } from "../store/event-store.ts";
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

export type StartedRun =
  | {
      readonly kind: "started";
      readonly plan: ContextPlan;
      readonly pins: ToolPins;
      /** The text behind the plan's memory row, null where it has none. */
      readonly snapshotText: string | null;
      /** What happened to the session's plan on the way. */
      readonly change: "keep" | EpochVerb;
      readonly reason: EpochReason | null;
    }
  | Extract<PlanDecision, { kind: "tool_pin_mismatch" }>;

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
export async function startRun({ store, owner, clock = systemClock }: RunStores, request: RunRequest): Promise<StartedRun> {
  const plans = new PlanStore(store, owner);
  const scopes = new Set(request.scopes);
  let head = 0;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { pinState, version: runVersion } = await plans.pinState(request.run);
    const loaded = await loadPlans(plans, request.session, pinState);
    const newest = loaded.plans.at(-1);
    const snapshotText = await plans.snapshotText(newest);
    const decision = decidePlan(loaded.plans, {
      session: request.session,
      scopes,
      agent: request.agent,
      memoryText: request.memoryText ?? "",
      snapshotText,
      pinState,
      keys: request.keys ?? PLAIN_SCOPE_HASHES,
      refreshAuthority: request.refreshAuthority ?? true,
      strictRevocation: request.strictRevocation ?? false,
      now: clock.now(),
    });
    if (decision.kind === "tool_pin_mismatch") {
      await plans.count("plan_pin_mismatch", { why: decision.why });
      return decision;
    }
    if (decision.kind === "new-epoch") {
      if (decision.snapshotText !== null) await plans.saveSnapshot(decision.snapshotText);
      const result = await plans.appendPlan(request.session, Math.max(head, loaded.version), decision.event);
      // Events of other kinds stand in the stream too: the next try appends behind them, having seen every plan before.
      if (result.kind === "conflict") {
        head = result.version;
        continue;
      }
      await plans.count("plan_epoch_opened", { reason: decision.event.reason, verb: decision.event.verb });
    }
    const started = await finish(plans, decision, newest === undefined ? null : snapshotText);
    if (isPinned(pinState)) return started;
    const pinned = await plans.savePinState(request.run, runVersion, { ...pinState, pinsInitialised: true, pins: started.pins });
    if (pinned.kind === "appended") return started;
  }
  throw new HoldfastError(
    "session_contended",
    `The session ${request.session} was changed by other workers ${TRIES_MAX} times while the run ${request.run} started; start it again.`,
  );
}
