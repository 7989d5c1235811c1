/** What the gate says of a fixture, without paths and words: what is recorded, and compared when it is replayed. */
import { type JudgeHints, judgeBody } from "../engine/judge-body.ts";
import type { Api, Backend } from "../wire/api.ts";
import type { Fixture } from "./fixture.ts";

export type Recorded = Pick<Fixture, "verdict" | "outcome" | "rules" | "classes" | "lost">;

export interface JudgedFixture extends Recorded {
  readonly api: Api;
  readonly backend: Backend;
  readonly model: string | null;
}

/** @returns null for bytes that no api can be made out of */
export function judgeFixture(bytes: Uint8Array, hints: JudgeHints): JudgedFixture | null {
  const judged = judgeBody(bytes, hints);
  if (judged.kind !== "judged") return null;
  const { verdict, outcome, api, backend, model, lost } = judged;
  return {
    api,
    backend,
    model,
    verdict: verdict.kind,
    outcome,
    rules: verdict.kind === "unsafe" ? distinct(verdict.hard.map(({ rule }) => rule)) : [],
    classes: verdict.kind === "admit" ? [] : distinct(verdict.soft.map((soft) => soft.class)),
    ...(lost !== null && lost.results > 0 && { lost }),
  };
}

/** Members in which the two differ, in the order of a fixture file. */
export function listChanges(recorded: Recorded, now: Recorded): readonly (keyof Recorded)[] {
  return COMPARED.filter((member) => JSON.stringify(recorded[member]) !== JSON.stringify(now[member]));
}

const COMPARED = ["verdict", "outcome", "rules", "classes", "lost"] as const;

function distinct(words: readonly string[]): string[] {
  return [...new Set(words)].sort();
}
