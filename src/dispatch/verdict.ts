/** What the gate says of one request (DG-2): a closed union, and the two kinds of things that it lists. */
import type { RepairKind } from "./rule.ts";
import type { SoftClass } from "./soft-class.ts";

export type Verdict =
  | { readonly kind: "admit" }
  | { readonly kind: "admit-unverified"; readonly soft: readonly Divergence[] }
  | { readonly kind: "unsafe"; readonly hard: readonly Violation[]; readonly soft: readonly Divergence[] };

/** A structure that this provider answers with a 4xx. */
export interface Violation {
  readonly rule: string;
  /** JSON pointer into the body that was judged. */
  readonly path: string;
  /** For a person: what is wrong at that place. Holds ids and names, never prompt text. */
  readonly message: string;
  readonly origin: "host" | "own";
  readonly repair: RepairKind | null;
  /** Where the rule is known from: a public URL. */
  readonly source: string;
}

/** Something unexpected that the provider takes: counted, never changed. */
export interface Divergence {
  readonly class: SoftClass;
  readonly path: string;
  readonly count: number;
  /** Where two histories were compared: what stood there, and what stands there now (`result>user`). */
  readonly kinds?: string;
}
