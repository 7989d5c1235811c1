/** Runs one step of a case of RA-5 against a store, and says what differs from what the case expects. */
import { decideCall } from "../../src/authority/call-permission.ts";
import { hashScopes, PLAIN_SCOPE_HASHES } from "../../src/authority/scope-hash.ts";
import { PlanStore } from "../../src/engine/plan-store.ts";
import { startRun } from "../../src/engine/start-run.ts";
import { chooseAnew, completePlan } from "../../src/plan/candidate.ts";
import { toolsOf } from "../../src/plan/context-plan.ts";
import { specsByName } from "../../src/plan/select-tools.ts";
import type { EventStore, Owner } from "../../src/store/event-store.ts";
import { AGENTS, type AuthorityCase, type Expected, type StartStep, type Step } from "./authority-case.ts";

/** @returns null where the step came out as expected */
export async function checkStep(store: EventStore, { title }: AuthorityCase, step: Step): Promise<string | null> {
  const owner: Owner = { tenant: "house", principal: title };
  const plans = new PlanStore(store, owner);
  if ("start" in step) return explain(step.expect, await start(store, owner, step));
  if ("call" in step) {
    const { required_scopes: required } = specsByName(AGENTS.plain.tools).get(step.call)!;
    const permission = decideCall(required, new Set(step.run), new Set(step.current));
    return explain(step.missing, permission.kind === "denied" ? permission.missing : []);
  }
  if ("checkpoint" in step) {
    const { version } = await plans.pinState(step.checkpoint);
    await plans.savePinState(step.checkpoint, version, step.state);
    return null;
  }
  const scopes = new Set(step.legacyPlan);
  const choice = chooseAnew({ agent: AGENTS.plain, scopes, memoryText: "" });
  const stamp = { session: "main", epoch: 1, agent: AGENTS.plain, authorityScopeHashes: null, now: 0 };
  const event = { reason: "session_first_model_request", verb: "create", plan: completePlan(choice, stamp) } as const;
  await plans.appendPlan("main", 0, event);
  return null;
}

async function start(store: EventStore, owner: Owner, step: StartStep): Promise<Expected> {
  const agent = AGENTS[step.agent ?? "plain"];
  const request = { session: step.session ?? "main", run: step.start, scopes: step.scopes, agent };
  try {
    const started = await startRun(
      { store: step.diesBeforePins ? dyingBeforePins(store) : store, owner },
      { ...request, ...(step.refreshAuthority === false && { refreshAuthority: false }) },
    );
    if (started.kind === "tool_pin_mismatch") return [started.kind, started.tool];
    const { plan, change, reason } = started;
    const newest = toolsOf(plan);
    const hashes = hashScopes(new Set(step.scopes), PLAIN_SCOPE_HASHES);
    // Whatever selected new bytes or a new stamp is stored with them.
    if (reason === "run_authority_changed" && JSON.stringify(plan.authorityScopeHashes) !== JSON.stringify(hashes))
      return ["died"];
    return [change, reason, plan.epoch, newest.map((tool) => tool.name)];
  } catch (error) {
    if (error instanceof Death) return ["died"];
    throw error;
  }
}

class Death extends Error {}

function dyingBeforePins(store: EventStore): EventStore {
  return new Proxy(store, {
    get(target, member) {
      if (member !== "append") return Reflect.get(target, member).bind(target);
      return (...args: Parameters<EventStore["append"]>) => {
        if (args[1].startsWith("run/")) throw new Death();
        return target.append(...args);
      };
    },
  });
}

function explain(expected: unknown, found: unknown): string | null {
  const texts = [JSON.stringify(expected), JSON.stringify(found)];
  return texts[0] === texts[1] ? null : `expected ${texts[0]}, found ${texts[1]}`;
}
