/** The rules that had something to say here: what became of their predictions, and what power they have where (DG-11). */
import type { Power } from "../../engine/rule-power.ts";
import type { Count } from "../../store/event-store.ts";
import type { StoreRecords } from "./store-records.ts";

export interface RuleReport {
  readonly rule: string;
  readonly predicted: number;
  readonly confirmed: number;
  readonly refuted: number;
  /** Rejections that carry the rule's words and that it had not foreseen. */
  readonly missed: number;
  /** Places where its power is no longer that of its evidence. */
  readonly places: readonly RulePlaceReport[];
}

export interface RulePlaceReport {
  readonly upstream: string;
  readonly backend: string;
  readonly model: string;
  readonly power: Power;
}

export function reportRules(counts: readonly Count[], { powers }: Pick<StoreRecords, "powers">): readonly RuleReport[] {
  const places = [...powers].map(([key, power]) => ({ ...parseKey(key), power }));
  const counted = counts.flatMap(({ name, labels }) => (name.startsWith("rule_") ? [labels.rule ?? "unknown"] : []));
  const names = new Set([...counted, ...places.map(({ rule }) => rule)]);
  return [...names]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((rule) => ({
      rule,
      predicted: sumOf(counts, "rule_predicted", { rule }),
      confirmed: sumOf(counts, "rule_confirmed", { rule }),
      refuted: sumOf(counts, "rule_refuted", { rule }),
      missed: sumOf(counts, "rule_missed", { rule }),
      places: places.filter((place) => place.rule === rule).map(({ rule: _, ...place }) => place),
    }));
}

/** `RULE|UPSTREAM|BACKEND|MODEL|ACCOUNT`; only a model may hold a bar. The account is nobody's business. */
function parseKey(key: string) {
  const [rule = "", upstream = "", backend = "", ...rest] = key.split("|");
  return { rule, upstream, backend, model: rest.slice(0, -1).join("|") };
}

/** Over all labels that are not named. */
export function sumOf(counts: readonly Count[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels);
  return counts
    .filter((one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { count }) => sum + count, 0);
}

/** The sums of one counter by the values of one label, the largest first. */
export function sumBy(counts: readonly Count[], name: string, label: string): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const one of counts) {
    if (one.name !== name) continue;
    const value = one.labels[label] ?? "other";
    sums.set(value, (sums.get(value) ?? 0) + one.count);
  }
  return [...sums].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
