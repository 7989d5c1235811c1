/** What each cause means for a person: what happened, and what to do about it. */
import type { Cause } from "./change.ts";
import type { DiffRecord } from "./diff-record.ts";
import type { VolatileKind } from "./volatile-text.ts";

export interface CauseWords {
  readonly happened: string;
  readonly advice: string;
}

export const NOTHING_TO_DO = "nothing to do";

/** Words for the record's cause; a kind of volatile text and a setting that spoils nothing have words of their own. */
export function describeCause(record: DiffRecord): CauseWords {
  const words = CAUSE_WORDS[record.cause];
  if (!record.certain) return UNCERTAIN_WORDS[record.cause] ?? words;
  if (record.prefix_kept) return { happened: words.happened, advice: KEPT_ADVICE[record.cause] ?? NOTHING_TO_DO };
  if (record.volatile !== null && record.cause !== "clock") {
    const text = VOLATILE_WORDS[record.volatile];
    return {
      happened: `${words.happened}: ${text} moved`,
      advice: `keep ${text} out of the prefix, or take it once per session`,
    };
  }
  return words;
}

const CAUSE_WORDS: Readonly<Record<Cause, CauseWords>> = {
  append: { happened: "a new turn behind an unchanged prefix", advice: NOTHING_TO_DO },
  identical: { happened: "the same bytes once more", advice: NOTHING_TO_DO },
  model: {
    happened: "another model",
    advice: "every model has a cache of its own: switch between sessions, or accept one full write per switch",
  },
  tool_order: {
    happened: "the same tools in another order",
    advice: "sort the tools by name after every change of the list, by code point and not by locale",
  },
  tool_added: {
    happened: "a tool was added",
    advice: "declare tools when the session starts, or add them behind the history where the API can do that",
  },
  tool_removed: {
    happened: "a tool is gone",
    advice: "keep the tool in the list and deny the call; a server that is away is no reason to forget its tools",
  },
  tool_schema: {
    happened: "the definition of a tool changed",
    advice: "keep the definition of the session's start until the session ends",
  },
  schema_key_order: {
    happened: "the same schema or tool definition, its members in another order",
    advice: "write schemas in one fixed order, not in the order of a map",
  },
  system_text: {
    happened: "the system text changed",
    advice: "put what changes per turn into the newest user message, behind the prefix",
  },
  clock: {
    happened: "a date or time in the prefix moved",
    advice: "take the date once per session, or put the time into the newest user message",
  },
  history_rewritten: {
    happened: "an older message changed",
    advice: "send old messages again exactly as they were; put reminders only behind the newest one",
  },
  history_dropped: {
    happened: "older messages were dropped",
    advice: "cut the history rarely and in large steps, so that the next turns build on one new prefix",
  },
  history_inserted: {
    happened: "a message was put between older ones",
    advice: "append new messages at the end only",
  },
  cache_marker_only: { happened: "only cache markers moved", advice: NOTHING_TO_DO },
  string_vs_blocks: { happened: "a text became a list of one block, or the other way", advice: NOTHING_TO_DO },
  settings: {
    happened: "a setting outside the prompt changed that the cache depends on",
    advice: "fix thinking, effort, tool choice and cache key when the session starts",
  },
  spelling_only: { happened: "the same values, spelled with other bytes", advice: NOTHING_TO_DO },
};

/** What is true of a change of which no provider says whether its cache sees it. */
const UNCERTAIN_WORDS: Readonly<Partial<Record<Cause, CauseWords>>> = {
  history_rewritten: {
    happened:
      "only what the provider noted on an earlier answer changed; whether its cache sees that is documented nowhere",
    advice:
      "send earlier answers again as they came, with their ids, status and log probabilities; the usage of this request says what was read",
  },
  settings: {
    happened: "a setting changed of which the provider does not say whether the cache depends on it",
    advice: "keep it the same for the session to be sure; the usage of this request says what was read",
  },
  spelling_only: {
    happened:
      "the same number in a tool, written in another way; whether the model sees how it is written is documented nowhere",
    advice: "write numbers in one way to be sure",
  },
};

/** Where the cache survives, most causes ask for nothing. */
const KEPT_ADVICE: Readonly<Partial<Record<Cause, string>>> = {
  string_vs_blocks: "providers read both forms as the same; send one form to be sure",
  spelling_only: "providers read the values; a proxy that hashes bytes would miss",
};

const VOLATILE_WORDS: Readonly<Record<VolatileKind, string>> = {
  clock: "a date or time",
  uuid: "a UUID",
  run_id: "an id made per run",
  git: "the state of a git tree",
  path: "a path",
  counter: "a number that counts",
};
