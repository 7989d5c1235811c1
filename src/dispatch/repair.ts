/**
 * One repair round (DG-21): the table's order until no rule fires, at most four sweeps, because one repair can uncover
 * the next fault. Every step is a splice of the bytes before it.
 */
import { applyEdits } from "../wire/apply-edits.ts";
import type { WireRequest } from "../wire/request.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import { parseBody, readRequest, spansOf } from "./document.ts";
import { type Finding, judge } from "./judge.ts";
import type { JudgeContext, Rule } from "./rule.ts";

/** A fault that is not gone after this many sweeps has no repair that holds. */
const SWEEPS_MAX = 4;

/** Work on a body with more faults than this would hold up every other turn; such a body goes out as it came. */
const FAULTS_MAX = 5_000;

export interface Repair {
  /** The body after the round; the same object where nothing was changed. */
  readonly bytes: Uint8Array;
  readonly request: WireRequest;
  readonly edits: readonly RequestEdit[];
  /** Rules that still fire. */
  readonly remaining: readonly string[];
}

/**
 * @param allowed which repairs may be made now: before sending only those of the shape whose rule is proven (DG-12).
 * `own` says that no fault of the rule was in the body that was given: an edit of ours has brought it
 */
export function repair(
  bytes: Uint8Array,
  request: WireRequest,
  findings: readonly Finding[],
  context: JudgeContext,
  allowed: (rule: Rule, own: boolean) => boolean,
): Repair {
  const given = new Set(findings.map(({ rule }) => rule.id));
  const mayRepair = (rule: Rule) => allowed(rule, !given.has(rule.id));
  const edits: RequestEdit[] = [];
  const count = findings.reduce((sum, { faults }) => sum + faults.length, 0);
  if (count > FAULTS_MAX) return { bytes, request, edits, remaining: findings.map(({ rule }) => rule.id) };
  let current = { bytes, request, findings };
  for (let sweep = 0; sweep < SWEEPS_MAX && current.findings.length > 0; sweep++) {
    const before = edits.length;
    const tried = new Set<string>();
    for (let next = nextRepair(current.findings, tried, mayRepair); next !== null; ) {
      tried.add(next.rule.id);
      const drafts = next.rule.repair!.plan(current.request, next.faults, context);
      const step = drafts.map(
        (draft): RequestEdit => ({ ...draft, rule: next!.rule.id, changes: next!.rule.repair!.changes }),
      );
      const changed = step.length === 0 ? null : applyToBody(current.bytes, current.request, step, context);
      if (changed !== null) {
        edits.push(...step);
        current = changed;
      }
      next = nextRepair(current.findings, tried, mayRepair);
    }
    if (edits.length === before) break;
  }
  const { findings: left, ...repaired } = current;
  return { ...repaired, edits, remaining: left.map(({ rule }) => rule.id) };
}

function nextRepair(
  findings: readonly Finding[],
  tried: ReadonlySet<string>,
  allowed: (rule: Rule) => boolean,
): Finding | null {
  return findings.find(({ rule }) => rule.repair !== undefined && !tried.has(rule.id) && allowed(rule)) ?? null;
}

/** The edited body, read and judged again; null where the edits leave no request. */
export function applyToBody(
  bytes: Uint8Array,
  request: WireRequest,
  edits: readonly RequestEdit[],
  context: JudgeContext,
): { bytes: Uint8Array; request: WireRequest; findings: readonly Finding[] } | null {
  const root = spansOf(bytes);
  if (root === null) return null;
  const changed = applyEdits(bytes, root, edits);
  const body = parseBody(changed);
  if (body.kind !== "body") return null;
  const read = readRequest(request.api, body.value);
  // Some apis name the model in the URL only.
  const again = read.model === request.model ? read : { ...read, model: request.model };
  // A history of which nothing is left is no request.
  if (again.rows.length === 0) return null;
  return { bytes: changed, request: again, findings: judge(again, context).findings };
}
