/** Where thinking blocks must and must not stand, and whether their signatures can be genuine. */
import { asObject, asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { isThinking, type PlacedBlock } from "./conversation.ts";
import { NO_PREFILL_SINCE } from "./end.ts";

export function* thinkingFindings(request: AnthropicRequest): Generator<Rejection> {
  yield* startFindings(request);
  yield* endFindings(request);
  for (const { blocks } of request.conversation.rows) {
    for (const block of blocks) if (isThinking(block)) yield* signatureFindings(request, block);
  }
}

/** Inside a tool loop with thinking on, the turn that made the calls must begin with its thinking. */
function* startFindings({ body, conversation, model, unknownHistory }: AnthropicRequest): Generator<Rejection> {
  const lenient = model.version > 4.5 || (model.line === "sonnet" && model.version === 4.5) || model.line === "";
  if (asObject(body.thinking).type !== "enabled" || lenient || unknownHistory) return;
  const last = conversation.turns.at(-1);
  const inLoop = last?.role === "user" && last.blocks[0]?.type === "tool_result";
  const judged = last?.role === "assistant" ? last : inLoop ? conversation.turns.at(-2) : undefined;
  const first = judged?.blocks[0];
  if (first === undefined || isThinking(first)) return;
  yield {
    rule: "A-THINK-16",
    message:
      `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` ` +
      "is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of " +
      "`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid " +
      "this requirement, disable `thinking`.",
  };
}

function* endFindings({ body, conversation, model }: AnthropicRequest): Generator<Rejection> {
  const kind = asText(asObject(body.thinking).type);
  const last = conversation.turns.at(-1);
  // Newer models refuse any such end, but for a turn that the server paused: what holds there is not known.
  const off = (kind === "" || kind === "disabled") && model.version < NO_PREFILL_SINCE;
  if (off && last?.role === "assistant" && last.blocks.some(isThinking)) {
    yield {
      rule: "A-THINK-17",
      message: "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`",
    };
    return;
  }
  const row = conversation.rows.at(-1);
  const end = row?.blocks.at(-1);
  if (model.version < NO_PREFILL_SINCE && row?.role === "assistant" && end !== undefined && isThinking(end)) {
    yield {
      rule: "A-THINK-31",
      message: `messages.${conversation.rows.length - 1}: The final block in an assistant message cannot be \`thinking\`.`,
    };
  }
}

function* signatureFindings({ context }: AnthropicRequest, { type, path, block }: PlacedBlock): Generator<Rejection> {
  const member = type === "thinking" ? "signature" : "data";
  const value = block[member];
  if (value === undefined) {
    yield { rule: "A-SIG-18", message: `${path}.${type}.${member}: Field required` };
    return;
  }
  const issued = context.memory.thinking.get(asText(value));
  const foreign = issued === undefined ? context.settings.strictSignatures : issued.issuer !== "self";
  if (asText(value).trim() === "" || foreign) {
    yield { rule: "A-SIG-18", message: `${path}: Invalid \`${member}\` in \`${type}\` block` };
  }
}
