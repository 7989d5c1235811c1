/** The record of one provider rule (DG-7): it predicts a 4xx from the request, and explains one from its text. */
import type { Api, Backend } from "../wire/api.ts";
import type { WireRequest } from "../wire/request.ts";
import type { Changes, RequestEdit } from "../wire/request-edit.ts";
import type { ModelTest } from "./models.ts";
import type { RecipeKind } from "./recipe.ts";
import type { ThinkingMemory } from "./thinking-memory.ts";

/** V error wording in a public report · M measured · D official documentation · O another program's source · ? unverified. */
export type Evidence = "V" | "M" | "D" | "O" | "?";

/** The closed list of repairs (DG-22), and `set_option` for switches beside the history. */
export type RepairKind =
  | "move_result"
  | "synthesise_result"
  | "orphan_to_text"
  | "rename_id"
  | "well_form"
  | "fix_tail"
  | "trim_markers"
  | "drop_foreign_reasoning"
  | "restore"
  | "set_option";

export interface JudgeContext {
  readonly backend: Backend;
  /** A name of who issues sealed reasoning here: one name for all doors to the same models. */
  readonly issuer: string;
  /** Keyed hash of upstream and credential; absent where only bodies are known. */
  readonly namespace?: string;
  /** What earlier exchanges of this session showed; null where there are none. */
  readonly memory: ThinkingMemory | null;
  /** JSON pointer of the place that the provider's rejection of these bytes names: it may know what no memory holds. */
  readonly rejectedAt?: string | null;
}

/** One place where a rule finds its fault. Detectors may return richer records; their repairs know them. */
export interface Fault {
  /** JSON pointer into the body. */
  readonly path: string;
  /** What is wrong there, for a person: ids, names and counts, never prompt text. */
  readonly message: string;
}

export type EditDraft = Omit<RequestEdit, "rule" | "changes">;

export interface Rule {
  readonly id: string;
  readonly apis: readonly Api[];
  readonly backends: readonly Backend[];
  /** Which models of these backends; absent: all. */
  readonly models?: ModelTest;
  detect(request: WireRequest, context: JudgeContext): readonly Fault[];
  readonly repair?: RuleRepair;
  /** Texts and machine codes of the 4xx that this rule explains. */
  readonly match: readonly RegExp[];
  readonly evidence: Evidence;
  /** `owner/repo#number`, `owner/repo!number` or a host and path. */
  readonly sources: readonly string[];
  /** The provider enforces it for some accounts only: it starts unproven in every namespace (DG-11). */
  readonly accountDependent?: boolean;
  /** The fault costs the answer, not the request: a 2xx says nothing about the rule. */
  readonly silent?: boolean;
}

export interface RuleRepair {
  readonly kind: RepairKind;
  readonly changes: Changes;
  /** Set where the fault is gone once the model has answered: what is done to the same row from then on (DG-25). */
  readonly recipe?: RecipeKind;
  /** Edits that make the faults go away, all against one body. Empty where there is no faithful repair. */
  plan(request: WireRequest, faults: readonly Fault[], context: JudgeContext): readonly EditDraft[];
}

/** Ties a repair to the richer faults that its own detector returns. */
export function defineRule<F extends Fault>(
  rule: Omit<Rule, "detect" | "repair"> & {
    detect(request: WireRequest, context: JudgeContext): readonly F[];
    readonly repair?: Omit<RuleRepair, "plan"> & {
      plan(request: WireRequest, faults: readonly F[], context: JudgeContext): readonly EditDraft[];
    };
  },
): Rule {
  return rule;
}

/** The public address of a source. */
export function sourceUrl(source: string): string {
  const reference = /^([\w.-]+\/[\w.-]+)([#!])(\d+)$/.exec(source);
  if (reference === null) return `https://${source}`;
  return `https://github.com/${reference[1]}/${reference[2] === "#" ? "issues" : "pull"}/${reference[3]}`;
}
