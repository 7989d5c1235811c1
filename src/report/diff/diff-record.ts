/** The JSON form of a comparison: names and meaning are stable, fields may be added. */
import { toPointer } from "../../lib/json-pointer.ts";
import type { Api } from "../../wire/api.ts";
import type { Cause, Change } from "./change.ts";
import type { RequestDiff } from "./diff-requests.ts";
import type { PromptSize } from "./prompt-loss.ts";
import { showPair } from "./shown-value.ts";
import type { VolatileKind } from "./volatile-text.ts";

export interface DiffRecord {
  readonly schema: 1;
  readonly api: Api;
  /** Of the later request. */
  readonly model: string | null;
  readonly identical: boolean;
  readonly prefix_kept: boolean;
  /** False where no provider says whether its cache sees this change. */
  readonly certain: boolean;
  readonly cause: Cause;
  readonly path: string;
  readonly unit: string;
  readonly byte: number | null;
  readonly changed_byte: number | null;
  readonly before: string | null;
  readonly after: string | null;
  /** What kind of text moves by itself there, or null. */
  readonly volatile: VolatileKind | null;
  readonly kept: PromptSize;
  readonly lost: PromptSize;
  /** What of AFTER is paid again; less than is lost where rows are gone. */
  readonly rewritten: PromptSize;
  readonly calibrated: boolean;
  /** Rules of the provider that the later request breaks because of the change. */
  readonly hard: readonly string[];
  readonly also: readonly { readonly cause: Cause; readonly path: string }[];
}

export function toDiffRecord(diff: RequestDiff): DiffRecord {
  const { decisive } = diff;
  return {
    schema: 1,
    api: diff.api,
    model: diff.model,
    identical: diff.identical,
    prefix_kept: diff.prefixKept,
    certain: diff.certain,
    cause: decisive?.cause ?? (diff.identical ? "identical" : "spelling_only"),
    path: toPointer(decisive?.path ?? []),
    unit: toPointer(decisive?.unit ?? []),
    byte: diff.byte,
    changed_byte: diff.changedByte,
    ...showPair(decisive?.before, decisive?.after),
    volatile: decisive?.volatile ?? null,
    kept: diff.kept,
    lost: diff.lost,
    rewritten: diff.rewritten,
    calibrated: diff.calibrated,
    hard: diff.hard,
    also: diff.also.map((change: Change) => ({ cause: change.cause, path: toPointer(change.path) })),
  };
}
