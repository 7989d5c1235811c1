/** Reasoning items: what must follow them, what needs them, and who sealed them. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { InputItem, ResponsesRequest } from "./responses-request.ts";

export function* reasoningFindings(request: ResponsesRequest): Generator<Rejection> {
  for (const [at, one] of request.items.entries()) {
    if (one.type === "reasoning" || one.type === "compaction") yield* sealFindings(request, one);
    if (one.type === "reasoning" && !isAnswer(request.items[at + 1])) {
      yield {
        rule: "R-REAS-4",
        message: `Item '${one.item.id ?? one.path}' of type 'reasoning' was provided without its required following item.`,
        param: "input",
      };
    }
  }
  yield* needFindings(request);
}

/** Reasoning is followed by what it led to: a call, a message of the assistant, or more reasoning. */
function isAnswer(next: InputItem | undefined): boolean {
  if (next === undefined || next.type.endsWith("_output")) return false;
  return next.type === "message" ? next.item.role === "assistant" : next.type !== "";
}

function* sealFindings({ context }: ResponsesRequest, { type, item, path }: InputItem): Generator<Rejection> {
  const seal = item.encrypted_content;
  if (typeof seal !== "string") return;
  const issued = context.memory.reasoning.get(seal);
  const foreign = issued === undefined ? context.settings.strictSignatures : issued.issuer !== "self";
  if (seal !== "" && !foreign) return;
  yield {
    rule: "R-ENC-10",
    message:
      `The encrypted content for item ${asText(item.id) || `${path} (${type})`} could not be verified. Reason: Encrypted ` +
      "content could not be decrypted or parsed.",
    code: "invalid_encrypted_content",
  };
}

/** An item that is named by its id must bring the reasoning it was issued with. */
function* needFindings({ items, context, unknownHistory }: ResponsesRequest): Generator<Rejection> {
  if (unknownHistory) return;
  const present = new Set(items.map((one) => asText(one.item.id)));
  for (const { type, item } of items) {
    const needed = context.memory.needsReasoning.get(asText(item.id));
    if (needed === undefined || present.has(needed)) continue;
    yield {
      rule: "R-REAS-5",
      message: `Item '${item.id}' of type '${type}' was provided without its required 'reasoning' item: '${needed}'.`,
      param: "input",
    };
  }
}
