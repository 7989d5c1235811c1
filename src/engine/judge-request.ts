/** The verdict on one request with the power of each rule applied, and what is done before it is sent. */
import { doubledPaths, spansOf } from "../dispatch/document.ts";
import { type Finding, type Judgement, judge } from "../dispatch/judge.ts";
import { repair } from "../dispatch/repair.ts";
import type { JudgeContext, Rule } from "../dispatch/rule.ts";
import type { Divergence, Verdict } from "../dispatch/verdict.ts";
import type { WireRequest } from "../wire/request.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import type { Outcome } from "./engine.ts";
import type { Power } from "./rule-power.ts";

export type PowerOf = (rule: Rule) => Power;

export function judgeRequest(
  bytes: Uint8Array,
  request: WireRequest,
  context: JudgeContext,
  powerOf: PowerOf,
  serverUnknown: boolean,
): Judgement {
  return demoted(judgeWithSpans(bytes, request, context), powerOf, serverUnknown);
}

/** Spans are looked up only where there is something to report: a legal body costs one parse. */
export function judgeWithSpans(bytes: Uint8Array, request: WireRequest, context: JudgeContext): Judgement {
  const judgement = judge(request, context);
  if (judgement.findings.length === 0) return judgement;
  const root = spansOf(bytes);
  const doubled = root === null ? [""] : doubledPaths(root);
  return doubled.length === 0 ? judgement : judge(request, context, doubled);
}

export interface AheadRepair {
  readonly outcome: Outcome;
  readonly bytes: Uint8Array;
  /** What those bytes say. */
  readonly request: WireRequest;
  readonly edits: readonly RequestEdit[];
  /** Rules that still fire on the bytes that are sent: an answer of 2xx refutes them. */
  readonly remaining: readonly Rule[];
}

/** Proven repairs of the shape are made; if a proven fault stays, the host's own bytes go out (DG-10, DG-12). */
export function repairAhead(
  bytes: Uint8Array,
  request: WireRequest,
  findings: readonly Finding[],
  context: JudgeContext,
  powerOf: PowerOf,
): AheadRepair {
  if (findings.length === 0) return { outcome: "sent", bytes, request, edits: [], remaining: [] };
  const rules = findings.map(({ rule }) => rule);
  const result = repair(bytes, request, findings, context, (rule, own) => mayRepairAhead(rule, powerOf, own));
  const left = rules.filter((rule) => result.remaining.includes(rule.id));
  const doomed = left.some((rule) => powerOf(rule) === "proven");
  if (doomed) return { outcome: "degraded", bytes, request, edits: [], remaining: rules };
  const outcome = result.edits.length > 0 ? "repaired" : "sent";
  return { outcome, bytes: result.bytes, request: result.request, edits: result.edits, remaining: left };
}

/** @param own whether an edit of ours has brought the fault: then it is enough that nothing speaks against the rule */
export function mayRepairAhead(rule: Rule, powerOf: PowerOf, own = false): boolean {
  const power = powerOf(rule);
  return rule.repair?.changes === "shape" && (power === "proven" || (own && power === "unproven"));
}

export function softOf(verdict: Verdict): readonly Divergence[] {
  return verdict.kind === "admit" ? [] : verdict.soft;
}

export function withSoft(verdict: Verdict, more: readonly Divergence[]): Verdict {
  const soft = [...softOf(verdict), ...more];
  return verdict.kind === "unsafe" ? { ...verdict, soft } : { kind: "admit-unverified", soft };
}

/** A refuted rule only reports, and so does one that an unknown server has not confirmed yet (DG-4). */
function demoted(judgement: Judgement, powerOf: PowerOf, serverUnknown: boolean): Judgement {
  const weak = judgement.findings.filter(({ rule }) => {
    const power = powerOf(rule);
    return power === "refuted" || (serverUnknown && power === "unproven");
  });
  if (weak.length === 0) return judgement;
  const findings = judgement.findings.filter(({ rule }) => powerOf(rule) !== "refuted");
  const count = weak.reduce((sum, finding) => sum + finding.faults.length, 0);
  const soft: Divergence[] = [
    ...softOf(judgement.verdict),
    { class: "unproven_rule", path: weak[0]!.faults[0]!.path, count },
  ];
  const ids = new Set(weak.map(({ rule }) => rule.id));
  const hard = judgement.verdict.kind === "unsafe" ? judgement.verdict.hard.filter(({ rule }) => !ids.has(rule)) : [];
  return { findings, verdict: hard.length > 0 ? { kind: "unsafe", hard, soft } : { kind: "admit-unverified", soft } };
}
