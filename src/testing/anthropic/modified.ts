/** Thinking that came back in another shape than it was issued: other text, other neighbours, other order. */
import { asText } from "../json-value.ts";
import type { IssuedThinking } from "../provider-memory.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { isThinking, type PlacedBlock, type Turn } from "./conversation.ts";
import { withoutMarkers } from "./prompt-segments.ts";

interface Known {
  readonly at: number;
  readonly block: PlacedBlock;
  readonly issued: IssuedThinking;
}

export function* modifiedFindings(request: AnthropicRequest): Generator<Rejection> {
  // Sonnet 4.5 was measured to take back changed text, moved and missing blocks.
  if (request.model.line === "sonnet" && request.model.version === 4.5) return;
  for (const turn of request.conversation.turns) {
    let before: Known | null = null;
    for (const known of knownIn(request, turn)) {
      if (textChanged(known) || movedBack(known, turn) || neighboursChanged(before, known, turn)) {
        yield {
          rule: "A-THINK-11",
          message:
            `${known.block.path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be ` +
            "modified. These blocks must remain as they were in the original response.",
        };
      }
      before = known;
    }
  }
}

function knownIn({ context }: AnthropicRequest, turn: Turn): Known[] {
  return turn.blocks.flatMap((block, at) => {
    if (!isThinking(block)) return [];
    const issued = context.memory.thinking.get(asText(block.block[block.type === "thinking" ? "signature" : "data"]));
    return issued?.issuer === "self" ? [{ at, block, issued }] : [];
  });
}

function textChanged({ block, issued }: Known): boolean {
  return asText(block.block.thinking) !== asText(issued.answer[issued.index]?.thinking);
}

/** A block that the answer held behind this one stands in front of it. */
function movedBack({ at, block, issued }: Known, turn: Turn): boolean {
  const behind = new Set(issued.answer.slice(issued.index + 1).map(bytesOf));
  return turn.blocks.slice(0, at).some((one) => one.row === block.row && behind.has(bytesOf(one.block)));
}

/** Between two blocks of one answer stands exactly what stood there; two answers in one turn keep their results apart. */
function neighboursChanged(before: Known | null, known: Known, turn: Turn): boolean {
  if (before === null) return false;
  const between = turn.blocks.slice(before.at + 1, known.at).map((one) => bytesOf(one.block));
  if (before.issued.answer !== known.issued.answer) {
    return between.length === 0 || before.issued.answer.some((block) => block.type === "tool_use");
  }
  const issuedBetween = known.issued.answer.slice(before.issued.index + 1, known.issued.index).map(bytesOf);
  return known.issued.index < before.issued.index || between.join("\n") !== issuedBetween.join("\n");
}

function bytesOf(block: Parameters<typeof withoutMarkers>[0]): string {
  return JSON.stringify(withoutMarkers(block));
}
