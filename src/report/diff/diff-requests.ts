/** Why a provider's cache of one request does not serve the next request of the same session, or that it does. */
import type { PathStep } from "../../lib/json-pointer.ts";
import type { Api } from "../../wire/api.ts";
import { byteAt, findChangedByte } from "./body-place.ts";
import { findHardRules } from "./bound-thinking.ts";
import { breaksPrefix, type Change, sortByWeight } from "./change.ts";
import { findHistoryChanges, findStart } from "./history-change.ts";
import { findMarkerChange } from "./marker-change.ts";
import { levelLeadingRows, type PromptLayout, type PromptList } from "./prompt-layout.ts";
import { type MeasuredLoss, measureLoss } from "./prompt-loss.ts";
import type { SessionRequest } from "./session-request.ts";
import { findSettingChanges } from "./setting-change.ts";
import { findSpellingChange } from "./spelling-change.ts";
import { findSystemChanges } from "./system-change.ts";
import { findToolChanges } from "./tool-change.ts";

export interface RequestDiff extends MeasuredLoss {
  readonly api: Api;
  readonly model: string | null;
  /** The bytes are the same. */
  readonly identical: boolean;
  /** A cache of everything in BEFORE still serves. */
  readonly prefixKept: boolean;
  /** Whether a provider's documentation or a measurement says so. */
  readonly certain: boolean;
  /** The change that decides; null where nothing differs but white space or the order of members. */
  readonly decisive: Change | null;
  readonly also: readonly Change[];
  /** Offset in AFTER of the value at the path; null where nothing moved. */
  readonly byte: number | null;
  /** Offset in AFTER of the first byte that differs inside that value. */
  readonly changedByte: number | null;
  /** Rules of the provider that AFTER breaks because the prefix moved; it answers 400. */
  readonly hard: readonly string[];
}

/** @throws nothing: any two opened requests have an answer */
export function diffRequests(before: SessionRequest, after: SessionRequest): RequestDiff {
  const identical =
    before.api === after.api && before.model === after.model && Buffer.compare(before.bytes, after.bytes) === 0;
  const changes = identical ? [] : sortByWeight(listChanges(before, after));
  const decisive = changes[0] ?? null;
  const byte = decisive === null ? null : byteAt(after.root, decisive.path);
  const prefixKept = decisive === null || !breaksPrefix(decisive);
  return {
    api: after.api,
    model: after.model,
    identical,
    prefixKept,
    certain: decisive?.certain ?? true,
    decisive,
    // Beside a break only what also costs something is worth a word; a new turn follows anyway.
    also: changes
      .slice(1)
      .filter((change) => prefixKept || breaksPrefix(change))
      .slice(0, ALSO_MAX),
    byte,
    changedByte: decisive === null ? null : findChangedByte(after, decisive),
    hard: prefixKept ? [] : findHardRules(after, decisive),
    ...measureLoss(before, after, prefixKept ? null : decisive),
  };
}

/** A list for a person; whoever wants more repairs these first. */
const ALSO_MAX = 20;

function listChanges(before: SessionRequest, after: SessionRequest): readonly Change[] {
  const other = findModelChange(before, after);
  // The words of two APIs can't be laid side by side.
  if (before.api !== after.api) return other;
  const [was, is] = levelLeadingRows(before.layout, after.layout);
  const matched = matchHistory(was, is);
  const prompt = [...findSetupChanges(was, is, after), ...findHistoryChanges(...matched)];
  const settings = findSettingChanges(was.settings, is.settings, after.api);
  const broken = prompt.some(breaksPrefix);
  const spelling = broken
    ? null
    : findSpellingChange(before, after, [[was.tools, is.tools], [was.system, is.system], matched]);
  // Markers move with every turn, so they are worth a word only where nothing else happened.
  const quiet = prompt.length === 0 && settings.length === 0 && spelling === null;
  const markers = quiet ? findMarkerChange(before.body, after.body) : null;
  return [...other, ...prompt, ...settings, ...[spelling, markers].filter((change) => change !== null)];
}

/** Another model, or another API: a cache belongs to one of each. */
function findModelChange(before: SessionRequest, after: SessionRequest): readonly Change[] {
  const path: readonly PathStep[] = ["model"];
  const change = { cause: "model", weight: "model", path, unit: path } as const;
  if (before.api !== after.api) {
    const [was, is] = [before, after].map(({ api, model }) => [api, model].join(" ").trim());
    return [{ ...change, before: was, after: is }];
  }
  if (before.model === null || after.model === null || before.model === after.model) return [];
  return [{ ...change, before: before.model, after: after.model }];
}

/** Tools and system text. A thread that is continued carries neither: the provider has them. */
function findSetupChanges(was: PromptLayout, is: PromptLayout, after: SessionRequest): readonly Change[] {
  const carries = (layout: PromptLayout): boolean => layout.tools.parts.length + layout.system.parts.length > 0;
  const onThread = after.api === "anthropic-messages" && (was.anchored || is.anchored);
  if (onThread && !(carries(was) && carries(is))) return [];
  const system = findSystemChanges(was.system, is.system);
  const perTurn = instructionsFollowInput(after);
  const weigh = (change: Change): Change =>
    perTurn && change.unit[0] === "instructions" ? { ...change, weight: "harmless-prompt" } : change;
  return [...findToolChanges(was.tools, is.tools), ...system.map(weigh)];
}

/** From GPT-6.2 on the top-level instructions belong to the turn and are read behind the input. */
function instructionsFollowInput({ model, body }: SessionRequest): boolean {
  const version = /^(?:.*\/)?gpt-(\d+)(?:\.(\d+))?/.exec(model ?? "");
  if (version === null || !("instructions" in body)) return false;
  return Number(version[1]) * 100 + Number(version[2] ?? 0) >= 602;
}

/**
 * The rows that stand beside each other. A request that is anchored brings only what is new; where the anchor was lost,
 * the whole history comes again and the rows of BEFORE begin somewhere in it.
 */
function matchHistory(was: PromptLayout, is: PromptLayout): readonly [PromptList, PromptList] {
  if (is.anchored) return [{ ...was.history, parts: [] }, is.history];
  if (!was.anchored) return [was.history, is.history];
  return [was.history, { ...is.history, parts: is.history.parts.slice(findStart(was.history, is.history)) }];
}
