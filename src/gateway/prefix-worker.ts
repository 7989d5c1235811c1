/** What runs in the thread: two bodies in, the cause out. */
import { parentPort } from "node:worker_threads";
import { describeCause } from "../report/diff/cause-words.ts";
import { toDiffRecord } from "../report/diff/diff-record.ts";
import { diffRequests } from "../report/diff/diff-requests.ts";
import { openSessionRequest } from "../report/diff/session-request.ts";
import type { BodyPair, PrefixCause, SentBody } from "./prefix-cause.ts";
import type { Compared } from "./prefix-thread.ts";

const port = parentPort!;

port.on("message", (pair: BodyPair) => port.postMessage(answer(pair)));

function answer(pair: BodyPair): Compared {
  try {
    return { kind: "compared", cause: compare(pair) };
  } catch {
    // Expected: nothing. But what cannot be compared must not end the thread: others wait for it.
    return { kind: "missed", reason: "failed" };
  }
}

function compare(pair: BodyPair): PrefixCause | null {
  const [before, after] = [open(pair, pair.before), open(pair, pair.after)];
  if (before.kind !== "request" || after.kind !== "request") throw new Error("a body that was read cannot be opened");
  const record = toDiffRecord(diffRequests(before, after));
  // What is only perhaps a break would be counted as one.
  if (record.prefix_kept || !record.certain) return null;
  const { happened, advice } = describeCause(record);
  const { cause, path, byte, volatile, kept, lost, rewritten } = record;
  const tokens = { kept_tokens: kept.tokens, lost_tokens: lost.tokens, rewritten_tokens: rewritten.tokens };
  return { cause, message: happened, advice, path, byte, volatile, ...tokens };
}

function open({ api }: BodyPair, { bytes, model }: SentBody) {
  return openSessionRequest(bytes, { ...(api !== null && { api }), ...(model !== null && { model }) });
}
