/** What `holdfast check` says of one request, in the names of `docs/spec/cli.md` section 2. Stable: programs read it. */
import type { Divergence, Violation } from "../dispatch/verdict.ts";
import type { Outcome } from "../engine/engine.ts";
import type { BodyJudgement } from "../engine/judge-body.ts";
import type { Api, Backend } from "../wire/api.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import type { RequestInput } from "./input.ts";

export interface CheckRecord {
  readonly schema: 1;
  readonly source: string;
  readonly line: number | null;
  readonly api: Api;
  readonly backend: Backend;
  readonly model: string | null;
  readonly verdict: "admit" | "admit-unverified" | "unsafe";
  readonly detected: boolean;
  readonly violations: readonly Violation[];
  readonly divergences: readonly Divergence[];
  readonly outcome: Outcome;
  readonly edits: readonly EditRecord[];
}

export type JudgedBody = Extract<BodyJudgement, { kind: "judged" }>;

/** An edit without the value that it puts in: the record stays free of content. */
export type EditRecord = Omit<RequestEdit, "value">;

/** @param edits those that the gate would make ahead, or all where the person asked for all repairs */
export function toCheckRecord(input: RequestInput, judged: JudgedBody, edits: readonly RequestEdit[]): CheckRecord {
  const { verdict } = judged;
  return {
    schema: 1,
    source: input.source,
    line: input.line,
    api: judged.api,
    backend: judged.backend,
    model: judged.model,
    verdict: verdict.kind,
    detected: judged.detected,
    violations: verdict.kind === "unsafe" ? verdict.hard : [],
    divergences: verdict.kind === "admit" ? [] : verdict.soft,
    outcome: judged.outcome,
    edits: edits.map(({ value: _, ...edit }) => edit),
  };
}
