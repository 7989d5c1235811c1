/**
 * How much a rule may do for one (upstream, backend, model): DG-11. A prediction that the provider accepts takes the
 * rule's power away; a rejection that it explains gives it.
 */
import type { Rule } from "../dispatch/rule.ts";
import type { Backend } from "../wire/api.ts";

export type Power = "unproven" | "proven" | "refuted";

export interface RulePlace {
  readonly upstream: string;
  readonly backend: Backend;
  readonly model: string | null;
  /** Keyed hash of the credential; only rules that differ by account look at it. */
  readonly namespace: string;
}

export interface PowerChange {
  readonly v: 1;
  readonly key: string;
  readonly power: Power;
}

/** More places than this are not remembered: a client can invent model names without end. */
const PLACES_MAX = 20_000;

export class RulePowers {
  readonly #powers = new Map<string, Power>();
  readonly #changed: (change: PowerChange) => void;

  /** @param changed is told of every change, to make it durable */
  constructor(changed: (change: PowerChange) => void) {
    this.#changed = changed;
  }

  powerOf(rule: Rule, place: RulePlace): Power {
    return this.#powers.get(keyOf(rule, place)) ?? startingPower(rule, place);
  }

  restore(change: PowerChange): void {
    if (this.#powers.size < PLACES_MAX) this.#powers.set(change.key, change.power);
  }

  set(rule: Rule, place: RulePlace, power: Power): void {
    const key = keyOf(rule, place);
    if (this.powerOf(rule, place) === power || (this.#powers.size >= PLACES_MAX && !this.#powers.has(key))) return;
    this.#powers.set(key, power);
    this.#changed({ v: 1, key, power });
  }
}

/** Wording seen or behaviour measured on exactly this backend starts proven; an unknown server proves it first. */
function startingPower(rule: Rule, place: RulePlace): Power {
  const seen = rule.evidence === "V" || rule.evidence === "M";
  const here = rule.backends.includes(place.backend);
  return seen && here && rule.accountDependent !== true ? "proven" : "unproven";
}

function keyOf(rule: Rule, place: RulePlace): string {
  const account = rule.accountDependent === true ? place.namespace : "";
  return [rule.id, place.upstream, place.backend, place.model ?? "", account].join("|");
}

/** What one answer says about the rules that had something to say about its request; null where their power stays. */
export interface Lesson {
  /** What is counted; null where the rejection before was counted already. */
  readonly event: "confirmed" | "refuted" | "missed" | null;
  readonly rule: Rule;
  readonly power: Power | null;
}

/**
 * @param request rules that fired on the bytes that were sent, and rules whose repair was tried after a rejection
 * @param named rules whose words the provider's error carries
 */
export function learnFrom(
  { predicted, tried }: { readonly predicted: readonly Rule[]; readonly tried: readonly Rule[] },
  status: number,
  named: readonly Rule[],
): readonly Lesson[] {
  if (status >= 200 && status < 300) {
    return [
      ...tried.map((rule): Lesson => ({ event: null, rule, power: "proven" })),
      ...predicted
        .filter(({ silent }) => silent !== true)
        .map((rule): Lesson => ({ event: "refuted", rule, power: "refuted" })),
    ];
  }
  if (status !== 400 && status !== 422) return [];
  const confirmed = predicted.filter((rule) => named.includes(rule));
  if (confirmed.length > 0) return confirmed.map((rule): Lesson => ({ event: "confirmed", rule, power: "proven" }));
  return named.length > 0 && tried.length === 0 ? [{ event: "missed", rule: named[0]!, power: null }] : [];
}
