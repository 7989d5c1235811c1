/** The gate one step earlier: on the array of a host that still owns it, before it becomes a payload (DG-20). */
import { type ArrayFault, type HostArray, repairArray } from "../dispatch/repair-array.ts";
import type { Rule } from "../dispatch/rule.ts";
import { ARRAY_RULES } from "../dispatch/rules/array-faults.ts";
import { rulesOf } from "../dispatch/rules/rules.ts";
import type { Api, Upstream } from "../wire/api.ts";
import type { Mode } from "./engine.ts";
import type { EngineParts } from "./engine-parts.ts";
import { mayRepairAhead } from "./judge-request.ts";
import { assumedBackend } from "./request-target.ts";
import type { PreparedHistory } from "./shape-watch.ts";

export interface HostTurn<T> {
  /** Name of the agent program. */
  readonly host: string;
  readonly upstream: Upstream & { readonly api: Api };
  readonly model: string;
  readonly mode: Mode;
  readonly array: HostArray<T>;
  /** The host's own name for the run that the turn belongs to; null where it names none. */
  readonly operation: string | null;
}

export interface PreparedTurn<T> {
  /** What the host encodes; the very array that was given where nothing was repaired. */
  readonly rows: readonly T[];
  /** For the check of the payload that comes of it. */
  readonly prepared: PreparedHistory;
}

/**
 * A function of the array and of what is proven for the target, of nothing else: the same history is repaired alike on
 * every turn, so a prefix does not alternate.
 */
export function prepareTurn<T>({ powers }: EngineParts, turn: HostTurn<T>): PreparedTurn<T> {
  const { host, upstream, model, mode, array, operation } = turn;
  const backend = upstream.backend ?? "unknown";
  const place = { upstream: upstream.name, backend, model, namespace: "" };
  const assumed = assumedBackend({ api: upstream.api, backend, modelInPath: null });
  const ruleOf = (fault: ArrayFault): Rule | null => {
    const id = ARRAY_RULES[upstream.api]?.[fault];
    const rules = rulesOf(upstream.api).filter((rule) => rule.id === id && rule.backends.includes(assumed));
    return rules.find((rule) => mayRepairAhead(rule, (one) => powers.powerOf(one, place))) ?? null;
  };
  const { rows, history, edits } = repairArray(array, mode === "guard" ? ruleOf : () => null);
  return { rows, prepared: { host, form: "host", rows: history, edits, operation } };
}
