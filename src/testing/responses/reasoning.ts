/** Reasoning items: what must follow them, what needs them, and who sealed them. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { InputItem, ResponsesRequest } from "./responses-request.ts";

export function* reasoningFindings(request: ResponsesRequest): Generator<Rejection> {
  for (const [at, one] of request.items.entries()) {
    if (one.type === "reasoning" || one.type === "compaction") yield* sealFindings(request, one);
    // One without an id is a fresh item: nobody has seen it asked for what it led to.
    const id = asText(one.item.id);
    if (
      one.type === "reasoning" &&
      id !== "" &&
      !isAnswer(request.items.slice(at + 1).find(({ type }) => type !== "reasoning"))
    ) {
      yield {
        rule: "R-REAS-4",
        message: `Item '${id}' of type 'reasoning' was provided without its required following item.`,
        param: "input",
      };
    }
  }
  yield* needFindings(request);
}

/** Reasoning, alone or in a row, is followed by what it led to: a call, or a message of the assistant. */
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
