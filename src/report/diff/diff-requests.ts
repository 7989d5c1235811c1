/** Why a provider's cache of one request does not serve the next request of the same session, or that it does. */
import type { PathStep } from "../../lib/json-pointer.ts";
import type { Api } from "../../wire/api.ts";
import { byteAt, equalBytesOf } from "./body-place.ts";
import { findHardRules } from "./bound-thinking.ts";
import { breaksPrefix, type Change, sortByWeight } from "./change.ts";
import { findHistoryChanges, findStart } from "./history-change.ts";
import { findMarkerChange } from "./marker-change.ts";
import type { PromptList, PromptPart } from "./prompt-layout.ts";
import { bytesPerToken, listParts, type PromptSize, sumBytes, toSize } from "./prompt-size.ts";
import type { SessionRequest } from "./session-request.ts";
import { findSettingChanges } from "./setting-change.ts";
import { findSpellingChange } from "./spelling-change.ts";
import { findSystemChanges } from "./system-change.ts";
import { findToolChanges } from "./tool-change.ts";

export interface RequestDiff {
  readonly api: Api;
  readonly model: string | null;
  /** The bytes are the same. */
  readonly identical: boolean;
  /** A cache of everything in BEFORE still serves. */
  readonly prefixKept: boolean;
  /** The change that decides; null where nothing differs but white space or the order of members. */
  readonly decisive: Change | null;
  readonly also: readonly Change[];
  /** Offset in AFTER of the value at the path; null where nothing moved. */
  readonly byte: number | null;
  /** Offset in AFTER of the first byte that differs inside that value. */
  readonly changedByte: number | null;
  readonly kept: PromptSize;
  readonly lost: PromptSize;
  /** Rules of the provider that AFTER breaks because the prefix moved; it answers 400. */
  readonly hard: readonly string[];
  /** Whether the tokens follow from usage that a provider reported. */
  readonly calibrated: boolean;
}

/** @throws nothing: any two opened requests have an answer */
export function diffRequests(before: SessionRequest, after: SessionRequest): RequestDiff {
  const identical =
    before.api === after.api && before.model === after.model && Buffer.compare(before.bytes, after.bytes) === 0;
  const changes = identical ? [] : sortByWeight(listChanges(before, after));
  const decisive = changes[0] ?? null;
  const byte = decisive === null ? null : byteAt(after.root, decisive.path);
  const equal = decisive === null ? 0 : equalBytesOf(after.bytes, byte!, decisive.before, decisive.after);
  const changedByte = byte === null ? null : byte + equal;
  const prefixKept = decisive === null || !breaksPrefix(decisive);
  return {
    api: after.api,
    model: after.model,
    identical,
    prefixKept,
    decisive,
    // Beside a break only what also costs something is worth a word; a new turn follows anyway.
    also: changes
      .slice(1)
      .filter((change) => prefixKept || breaksPrefix(change))
      .slice(0, ALSO_MAX),
    byte,
    changedByte,
    hard: prefixKept ? [] : findHardRules(after, decisive),
    ...measure(before, after, prefixKept ? null : decisive, changedByte),
  };
}

/** A list for a person; whoever wants more repairs these first. */
const ALSO_MAX = 20;

function listChanges(before: SessionRequest, after: SessionRequest): readonly Change[] {
  const other = findModelChange(before, after);
  // The words of two APIs can't be laid side by side.
  if (before.api !== after.api) return other;
  const [was, is] = [before.layout, after.layout];
  const prompt = [...findSetupChanges(before, after), ...findHistoryChanges(...matchHistory(before, after))];
  const settings = findSettingChanges(was.settings, is.settings, after.api);
  const broken = prompt.some(breaksPrefix);
  const spelling = broken ? null : findSpellingChange(before, after, pairParts(before, after));
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
function findSetupChanges(before: SessionRequest, after: SessionRequest): readonly Change[] {
  const [was, is] = [before.layout, after.layout];
  const carries = (layout: typeof was): boolean => layout.tools.parts.length + layout.system.parts.length > 0;
  const onThread = before.api === "anthropic-messages" && (was.anchored || is.anchored);
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
function matchHistory(before: SessionRequest, after: SessionRequest): readonly [PromptList, PromptList] {
  const [was, is] = [before.layout.history, after.layout.history];
  if (after.layout.anchored) return [{ ...was, parts: [] }, is];
  if (!before.layout.anchored) return [was, is];
  return [was, { ...is, parts: is.parts.slice(findStart(was, is)) }];
}

function* pairParts(before: SessionRequest, after: SessionRequest): Generator<readonly [PromptPart, PromptPart]> {
  const [was, is] = [before.layout, after.layout];
  for (const [olds, news] of [[was.tools, is.tools], [was.system, is.system], matchHistory(before, after)] as const) {
    for (const [index, old] of olds.parts.entries()) {
      const now = news.parts[index];
      if (now !== undefined) yield [old, now];
    }
  }
}

/** @param decisive the change that breaks the prefix, null where none does */
function measure(
  before: SessionRequest,
  after: SessionRequest,
  decisive: Change | null,
  changedByte: number | null,
): Pick<RequestDiff, "kept" | "lost" | "calibrated"> {
  const ratio = bytesPerToken(before.promptTokens === null ? after : before);
  const calibrated = (before.promptTokens ?? after.promptTokens) !== null;
  const whole = sumBytes(before, listParts(before.layout));
  const kept = decisive === null ? whole : Math.min(whole, measureKept(after, decisive, changedByte!));
  return { kept: toSize(kept, ratio), lost: toSize(whole - kept, ratio), calibrated };
}

/** Bytes of AFTER in front of the break. */
function measureKept(after: SessionRequest, decisive: Change, changedByte: number): number {
  const { tools, system } = after.layout;
  if (decisive.weight === "model") return 0;
  // A changed setting spoils the messages on Anthropic's API; elsewhere the whole entry is another one.
  if (decisive.weight === "spoiling-setting")
    return isAnthropic(after) ? sumBytes(after, [...tools.parts, ...system.parts]) : 0;
  const parts = listParts(after.layout);
  const at = parts.findIndex((part) => byteAt(after.root, part.path) === byteAt(after.root, decisive.unit));
  if (at === -1) return sumBytes(after, listBeforeEnd(after, decisive));
  const inside = isAnthropic(after) ? 0 : changedByte - byteAt(after.root, decisive.unit);
  return sumBytes(after, parts.slice(0, at)) + Math.max(0, inside);
}

/** What is gone from the end of a list leaves all that stands in front of that end. */
function listBeforeEnd(after: SessionRequest, { unit }: Change): readonly PromptPart[] {
  const { tools, system, history } = after.layout;
  if (startsWith(unit, tools.listPath)) return tools.parts;
  if (startsWith(unit, history.listPath)) return listParts(after.layout);
  return [...tools.parts, ...system.parts];
}

function startsWith(path: readonly PathStep[], start: readonly PathStep[]): boolean {
  return start.every((step, index) => path[index] === step);
}

/** Its cache ends at whole blocks; the others cache token by token. */
function isAnthropic({ api }: SessionRequest): boolean {
  return api === "anthropic-messages" || api === "bedrock-converse-stream";
}
