/** What z.ai, which copies this API, rejects beyond it. */
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";

export function* zaiFindings({ conversation, context }: AnthropicRequest): Generator<Rejection> {
  if (context.settings.backend !== "zai") return;
  const blocks = conversation.rows.flatMap((row) => row.blocks);
  const isHollow = blocks.some(
    ({ type, block }) => type === "tool_result" && Array.isArray(block.content) && block.content.length === 0,
  );
  if (isHollow) yield { rule: "K-ZAI-7", message: "The prompt parameter was not received normally." };
}
