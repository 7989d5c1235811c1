/**
 * Is this request legal for the one who answers it? Pure and total: the same request, context and tables give the same
 * verdict, and nothing that a body holds makes it throw (DG-1).
 */
import { grownList } from "../lib/grown-list.ts";
import type { WireRequest } from "../wire/request.ts";
import { historyMemo } from "../wire/row-memo.ts";
import { type Fault, type JudgeContext, type Rule, sourceUrl } from "./rule.ts";
import { isModelled, rulesOf } from "./rules/rules.ts";
import type { SoftClass } from "./soft-class.ts";
import { unjudgedPaths } from "./unjudged.ts";
import type { Divergence, Verdict, Violation } from "./verdict.ts";

/** A body with more blocks than this is not judged: the work of one turn needs an end. The largest seen has 40,000. */
export const BLOCKS_MAX = 1_000_000;

export interface Finding {
  readonly rule: Rule;
  readonly faults: readonly Fault[];
}

export interface Judgement {
  readonly verdict: Verdict;
  /** The hard rules that fired with all their faults, in the order of the table. */
  readonly findings: readonly Finding[];
}

/** @param doubled paths of objects in which a member name stands twice: nothing about them is ever hard (DG-6) */
export function judge(request: WireRequest, context: JudgeContext, doubled: readonly string[] = []): Judgement {
  const soft = new SoftList();
  if (!isModelled(request.api) || (blockCounts(request.rows).at(-1) ?? 0) > BLOCKS_MAX) {
    soft.add("unmodelled", request.rowsPath);
    return { verdict: { kind: "admit-unverified", soft: soft.list() }, findings: [] };
  }
  const findings: Finding[] = [];
  for (const rule of rulesOf(request.api)) {
    if (rule.models !== undefined && !rule.models(request.model)) continue;
    const known = context.backend === "unknown";
    if (!known && !rule.backends.includes(context.backend)) continue;
    const faults = rule.detect(request, context);
    if (faults.length === 0) continue;
    const sure = faults.filter((fault) => !doubled.some((path) => touches(path, fault.path)));
    if (sure.length < faults.length) soft.add("unmodelled", faults[0]!.path, faults.length - sure.length);
    if (sure.length === 0) continue;
    if (known || isUnproven(rule)) soft.add("unproven_rule", sure[0]!.path, sure.length);
    else findings.push({ rule, faults: sure });
  }
  addStructure(request, soft);
  return { verdict: verdictOf(findings, soft.list()), findings };
}

/** Blocks of all rows; those of the rows that stand in front are counted once. */
const blockCounts = historyMemo<number[]>((rows, earlier) => {
  const { answer, shared } = earlier ?? { answer: [], shared: 0 };
  let count = answer[shared - 1] ?? 0;
  const fresh = rows.slice(shared).map(({ blocks }) => (count += blocks.length));
  return grownList(answer, shared, fresh);
});

/** Evidence from another program's source, or none, is no reason to call a request illegal (DG-7). */
function isUnproven(rule: Rule): boolean {
  return rule.evidence === "O" || rule.evidence === "?";
}

/** What the reader did not know, and what only the provider can see. */
function addStructure(request: WireRequest, soft: SoftList): void {
  for (const path of unjudgedPaths(request)) soft.add("unmodelled", path);
  if (request.anchor !== null) soft.add("chained_delta", request.anchor.path);
}

function verdictOf(findings: readonly Finding[], soft: readonly Divergence[]): Verdict {
  if (findings.length > 0) return { kind: "unsafe", hard: findings.flatMap(toViolations), soft };
  return soft.length > 0 ? { kind: "admit-unverified", soft } : { kind: "admit" };
}

function toViolations({ rule, faults }: Finding): Violation[] {
  return faults.map((fault) => ({
    rule: rule.id,
    path: fault.path,
    message: fault.message,
    origin: "host",
    repair: rule.repair?.kind ?? null,
    source: sourceUrl(rule.sources[0]!),
  }));
}

/** One path lies inside the other. */
function touches(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** Divergences of one request, one line a class with its first place. */
class SoftList {
  readonly #found = new Map<SoftClass, { path: string; count: number }>();

  add(name: SoftClass, path: string, count = 1): void {
    const known = this.#found.get(name);
    this.#found.set(name, { path: known?.path ?? path, count: (known?.count ?? 0) + count });
  }

  list(): Divergence[] {
    return [...this.#found].map(([name, { path, count }]) => ({ class: name, path, count }));
  }
}
