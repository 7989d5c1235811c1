/** Other bytes for a request that was rejected: once, and only where the words and the place agree (GW-10). */
import { judge } from "../dispatch/judge.ts";
import { repair } from "../dispatch/repair.ts";
import type { Rule } from "../dispatch/rule.ts";
import { bodySha256 } from "./body-sha256.ts";
import type { CheckedRequest, ObservedResponse } from "./engine.ts";
import { contextOf, type EngineParts, readAnswer } from "./engine-parts.ts";
import { pathIn, rulesBehind } from "./explain.ts";
import { mayRepairAhead } from "./judge-request.ts";

export function retryAfterRejection(
  parts: EngineParts,
  checked: CheckedRequest,
  response: ObservedResponse,
): CheckedRequest | null {
  const pending = parts.pending.get(checked);
  if (pending === undefined || pending.tried.length > 0 || pending.read.request.body.background === true) return null;
  const { target } = pending.read;
  const { bytes, request, edits } = pending.start;
  const { error } = readAnswer(target, response);
  if (error === null) return null;
  const context = { ...contextOf(parts, pending.read), rejectedAt: pathIn(error.message) };
  const named = rulesBehind(target.api, error);
  const { findings } = judge(request, context);
  // Several rules share one text; those that this provider has refuted are the last to be meant.
  const firing = findings.map(({ rule }) => rule).filter((rule) => named.includes(rule) && rule.repair !== undefined);
  const standing = firing.filter((rule) => pending.powerOf(rule) !== "refuted");
  const meant = standing.length > 0 ? standing : firing;
  // What fires only because of the rejection is repaired only where the rejection means it.
  const fired = new Set(pending.findings.map(({ rule }) => rule));
  const allowed = (rule: Rule, own: boolean): boolean =>
    meant.includes(rule) || ((own || fired.has(rule)) && mayRepairAhead(rule, pending.powerOf, own));
  const again = repair(bytes, request, findings, context, allowed);
  const matched = meant.filter((rule) => !again.remaining.includes(rule.id));
  if (again.edits.length === 0 || matched.length === 0) return null;
  const record = { ...checked.record, outcome: "repaired", edits: [...edits, ...again.edits] } as const;
  const hashes = bodySha256(pending.read.body.bytes, again.bytes);
  const retried: CheckedRequest = {
    record: { ...record, bodySha256: hashes },
    body: again.bytes,
    before: checked.before,
    ownAnswer: null,
  };
  for (const rule of matched) parts.counters.add("rule_retried", { rule: rule.id });
  parts.pending.set(retried, { ...pending, sent: again.request, predicted: [], tried: matched, repairing: matched });
  return retried;
}
