import { anthropicHabit, type CacheHabit, googleHabit, openaiHabit } from "./cache-breaks.ts";
import type { Fault } from "./pair-window.ts";
import type { Finding, FindingKind } from "./transcript.ts";

/** First letter of the provider rules: Anthropic, Responses, Chat, Google, Bedrock. */
export type RuleFamily = "A" | "R" | "C" | "G" | "B";

/** Which rule a fault breaks, by the family of the api that the session speaks. What is missing is no fault there. */
const ruleTable: Record<RuleFamily, Partial<Record<FindingKind, string>>> = {
  A: {
    open_call: "A-PAIR-1",
    orphan_result: "A-PAIR-2",
    duplicate_result: "A-DUPRES-7",
    duplicate_call: "A-DUP-6",
    bad_name: "A-NAME-11",
    lone_surrogate: "A-UTF-15",
  },
  R: {
    open_call: "R-PAIR-1",
    orphan_result: "R-PAIR-2",
    duplicate_result: "R-DUPOUT-3",
    bad_name: "R-NAME-9",
  },
  C: { open_call: "C-PAIR-1", orphan_result: "C-PAIR-2", bad_name: "C-NAME-4" },
  G: { open_call: "G-COUNT-3", orphan_result: "G-RESP-2", bad_name: "G-NAME-7" },
  B: {
    open_call: "B-PAIR-1",
    orphan_result: "B-PAIR-2",
    duplicate_result: "B-PAIR-2",
    bad_name: "A-NAME-11",
    lone_surrogate: "A-UTF-15",
  },
};

/** The rule family of an api or provider name as agents write them. */
export function ruleFamilyOf(api: string): RuleFamily {
  if (/bedrock/.test(api)) return "B";
  if (/anthropic|claude/.test(api)) return "A";
  if (/responses|codex|^openai$|^azure$/.test(api)) return "R";
  if (/google|gemini|vertex/.test(api)) return "G";
  return "C";
}

/** Most servers cache by themselves as OpenAI does; on Anthropic's models a marker asks for it. */
export function habitOf(family: RuleFamily): CacheHabit {
  if (family === "G") return googleHabit;
  return family === "A" || family === "B" ? anthropicHabit : openaiHabit;
}

export function toFindings(
  faults: readonly Fault[],
  family: RuleFamily,
  healedByHost: (fault: Fault) => boolean,
): readonly Finding[] {
  return faults.flatMap((fault) => {
    const rule = ruleTable[family][fault.what];
    if (rule === undefined) return [];
    const { what, line, file, id } = fault;
    return [{ rule, what, line, file, id, healedByHost: healedByHost(fault) }];
  });
}

/** A tool name that providers take back in a history. Only a name with other characters, or none, is refused. */
export function isToolName(name: unknown): boolean {
  return typeof name === "string" && /^[a-zA-Z0-9_.:/-]+$/.test(name);
}
