/** How much of BEFORE's prompt the cache still serves, and how much is lost, in bytes of the body and in tokens. */
import type { PathStep } from "../../lib/json-pointer.ts";
import { byteAt, findChangedByte, nodeAtPath } from "./body-place.ts";
import type { Change } from "./change.ts";
import type { PromptLayout, PromptPart } from "./prompt-layout.ts";
import type { SessionRequest } from "./session-request.ts";

export interface PromptSize {
  readonly bytes: number;
  readonly tokens: number;
}

export interface MeasuredLoss {
  readonly kept: PromptSize;
  readonly lost: PromptSize;
  /** The part of the loss that AFTER carries and pays again; rows that are gone cost nothing. */
  readonly rewritten: PromptSize;
  /** Whether the tokens follow from usage that a provider reported. */
  readonly calibrated: boolean;
}

/** @param decisive the change that breaks the prefix, null where none does */
export function measureLoss(before: SessionRequest, after: SessionRequest, decisive: Change | null): MeasuredLoss {
  const ratio = bytesPerToken(before.promptTokens === null ? after : before);
  const whole = sumBytes(before, listParts(before.layout));
  const kept = decisive === null ? whole : Math.min(whole, sumKept(after, decisive));
  const toSize = (bytes: number): PromptSize => ({ bytes, tokens: Math.round(bytes / ratio) });
  const calibrated = (before.promptTokens ?? after.promptTokens) !== null;
  const lost = whole - kept;
  // What a chain holds is in no body, and is read again with it.
  const carried = after.layout.anchored ? lost : sumBytes(after, listParts(after.layout)) - kept;
  const rewritten = Math.max(0, Math.min(lost, carried));
  return { kept: toSize(kept), lost: toSize(lost), rewritten: toSize(rewritten), calibrated };
}

/**
 * Where no usage is known: English text and JSON of agents come to about four bytes a token on all providers' tokenizers.
 * With usage, the request's own ratio takes its place.
 */
const BYTES_PER_TOKEN = 4;

function bytesPerToken(request: SessionRequest): number {
  const tokens = request.promptTokens ?? 0;
  const bytes = sumBytes(request, listParts(request.layout));
  return tokens > 0 && bytes > 0 ? bytes / tokens : BYTES_PER_TOKEN;
}

/** Bytes of AFTER in front of the break. */
function sumKept(after: SessionRequest, decisive: Change): number {
  const { tools, system } = after.layout;
  if (decisive.weight === "model") return 0;
  if (decisive.weight === "spoiling-setting") {
    // A changed setting spoils the messages on Anthropic's models; elsewhere the whole entry is another one.
    if (!cachesBlocks(after)) return 0;
    return sumBytes(
      after,
      decisive.path.some((step) => SPOILS_SYSTEM.has(step)) ? tools.parts : [...tools.parts, ...system.parts],
    );
  }
  const unitByte = byteAt(after.root, decisive.unit);
  const parts = listParts(after.layout);
  const at = parts.findIndex((part) => byteAt(after.root, part.path) === unitByte);
  if (at === -1) return sumBytes(after, listPartsToEnd(after.layout, decisive));
  const inside = cachesBlocks(after) ? 0 : findChangedByte(after, decisive) - unitByte;
  return sumBytes(after, parts.slice(0, at)) + Math.max(0, inside);
}

/** Speed and the form of the answer stand in front of the system text on Anthropic's models. */
const SPOILS_SYSTEM = new Set<PathStep>(["speed", "output_format", "format"]);

/** What is gone from the end of a list leaves all that stands in front of that end. */
function listPartsToEnd(layout: PromptLayout, { unit }: Change): readonly PromptPart[] {
  const { tools, system, history } = layout;
  if (startsWith(unit, tools.listPath)) return tools.parts;
  if (startsWith(unit, history.listPath)) return listParts(layout);
  return [...tools.parts, ...system.parts];
}

function startsWith(path: readonly PathStep[], start: readonly PathStep[]): boolean {
  return start.every((step, index) => path[index] === step);
}

/** Anthropic's models keep entries that end at whole blocks; the other caches go token by token. */
function cachesBlocks({ api }: SessionRequest): boolean {
  return api === "anthropic-messages" || api === "bedrock-converse-stream";
}

/** All parts in the order of the provider. */
function listParts(layout: PromptLayout): readonly PromptPart[] {
  return [...layout.tools.parts, ...layout.system.parts, ...layout.history.parts];
}

function sumBytes(request: SessionRequest, parts: readonly PromptPart[]): number {
  return parts.reduce((sum, part) => sum + bytesOf(request, part), 0);
}

function bytesOf(request: SessionRequest, part: PromptPart): number {
  const node = nodeAtPath(request.root, part.path);
  return node === undefined ? 0 : node.end - node.start;
}
