/** What a validator finds. The first enforced finding becomes the provider's answer, as on the real servers. */

export interface Rejection {
  /** Rule id of the provider rules, for the test that reads it. It is not part of the answer. */
  readonly rule: string;
  readonly message: string;
  /** 400 unless given. */
  readonly status?: number;
  /** Machine code, where the provider sends one. */
  readonly code?: string;
  /** Place in the request, where the provider sends it apart from the message. */
  readonly param?: string;
}

/** A rule that a test plants: a rejection that no published rule knows. */
export interface ExtraRule {
  readonly id: string;
  /** Receives the parsed body; returns the error text, or null where the body is fine. */
  readonly rejects: (body: unknown) => string | null;
  readonly status?: number;
}

/** `findings` is lazy, so that a body is read no further than the provider would have read it. */
export function firstEnforced(
  body: unknown,
  findings: Iterable<Rejection>,
  extraRules: readonly ExtraRule[],
  accepts: ReadonlySet<string>,
): Rejection | null {
  for (const finding of findings) {
    if (!accepts.has(finding.rule)) return finding;
  }
  for (const extra of extraRules) {
    const message = extra.rejects(body);
    if (message !== null && !accepts.has(extra.id)) {
      return { rule: extra.id, message, ...(extra.status === undefined ? {} : { status: extra.status }) };
    }
  }
  return null;
}
