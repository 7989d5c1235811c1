/** Why the provider's cache of the turn before does not serve this one: known before the answer is (GW-11). */
import type { CheckedRequest } from "../engine/engine.ts";
import type { Api } from "../wire/api.ts";
import type { Missed } from "./prefix-thread.ts";

/** Content-free: names and places, no values. */
export interface PrefixCause {
  readonly cause: string;
  /** What happened, and what to do about it, in words. */
  readonly message: string;
  readonly advice: string;
  readonly path: string;
  /** Offset in the body as the client sent it. */
  readonly byte: number | null;
  /** The kind of text that moves by itself there: a clock, a counter, an id. */
  readonly volatile: string | null;
  readonly kept_tokens: number;
  readonly lost_tokens: number;
  /** What of this request is paid again: less than is lost where rows are gone. */
  readonly rewritten_tokens: number;
}

/** Whether the prefix moved was not found out. */
export interface UnknownCause {
  readonly cause: "unknown";
  readonly reason: "body_not_kept" | Missed;
  readonly message: string;
}

export type PrefixEntry = PrefixCause | UnknownCause;

/** Two requests of one history, as a thread of its own compares them. */
export interface BodyPair {
  readonly api: Api | null;
  readonly before: SentBody;
  readonly after: SentBody;
}

export interface SentBody {
  readonly bytes: Uint8Array;
  readonly model: string | null;
}

export interface PrefixCauses {
  /** @param body as the client sent it, plain. @returns null where the prefix was kept or there was none. Never rejects. */
  find(checked: CheckedRequest, body: Uint8Array): Promise<PrefixEntry | null>;
  /** What is not compared yet never is. */
  close(): Promise<void>;
}

/** @param missed is told why a cause was not found, where the reason lies with us */
export async function openPrefixCauses(missed: (reason: Missed) => void): Promise<PrefixCauses> {
  // Stays a module of its own in the build, where the file of its thread is found beside it.
  const { PrefixThread } = await import("./prefix-thread.ts");
  const thread = new PrefixThread();
  return {
    async find({ before, record: { api, model } }, body) {
      if (before === null) return null;
      if (before.kind === "not-kept") return unknownCause("body_not_kept");
      // The request leaves first. Its memory is used again only when the answer has come, which takes longer than this.
      await new Promise((resolve) => setImmediate(resolve));
      const compared = await thread.compare({ api, before, after: { bytes: body, model } });
      if (compared.kind === "compared") return compared.cause;
      missed(compared.reason);
      return unknownCause(compared.reason);
    },
    close: () => thread.close(),
  };
}

function unknownCause(reason: UnknownCause["reason"]): UnknownCause {
  return { cause: "unknown", reason, message: WORDS[reason] };
}

const WORDS: Readonly<Record<UnknownCause["reason"], string>> = {
  body_not_kept:
    "not compared: the body before was not kept (it came before this gateway started, or had to go for newer ones)",
  overloaded: "not compared: too many other requests with a moved prefix were waiting",
  deadline: "not compared: looking took too long",
  failed: "not compared: the thread that looks has failed",
  closing: "not compared: the gateway was closing",
};
