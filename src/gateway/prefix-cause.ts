/** Why the provider's cache of the turn before does not serve this one: known before the answer is (GW-11). */
import type { CheckedRequest } from "../engine/engine.ts";
import { toDiffRecord } from "../report/diff/diff-record.ts";
import { diffRequests } from "../report/diff/diff-requests.ts";
import { openSessionRequest } from "../report/diff/session-request.ts";

/** Content-free: names and places, no values. */
export interface PrefixCause {
  readonly cause: string;
  readonly path: string;
  readonly byte: number | null;
  /** The kind of text that moves by itself there: a clock, a counter, an id. */
  readonly volatile: string | null;
  readonly kept_tokens: number;
  readonly lost_tokens: number;
}

/** Comparing holds up other streams: some tens of milliseconds at this size. A larger body is left to `holdfast diff`. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

/** Looks after the request has been sent; null where the prefix was kept or there was none. Never rejects. */
export async function findPrefixCause(checked: CheckedRequest | null): Promise<PrefixCause | null> {
  if (checked?.before == null || checked.body.length > BODY_BYTES_MAX) return null;
  await new Promise((resolve) => setImmediate(resolve));
  try {
    return compare(checked.before, checked);
  } catch {
    // Expected: nothing. But a reason that cannot be found must not cost the turn its log line.
    return null;
  }
}

function compare(previous: object, { body, record }: CheckedRequest): PrefixCause | null {
  const context = {
    ...(record.api !== null && { api: record.api }),
    ...(record.model !== null && { model: record.model }),
  };
  const before = openSessionRequest(Buffer.from(JSON.stringify(previous)), context);
  const after = openSessionRequest(body, context);
  if (before.kind !== "request" || after.kind !== "request") return null;
  const diff = toDiffRecord(diffRequests(before, after));
  // What is only perhaps a break would be counted as one.
  if (diff.prefix_kept || !diff.certain) return null;
  const { cause, path, byte, volatile } = diff;
  return { cause, path, byte, volatile, kept_tokens: diff.kept.tokens, lost_tokens: diff.lost.tokens };
}
