/** Item ids: whose they are, whether they occur once, and whether the server still has what they name. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { InputItem, ResponsesRequest } from "./responses-request.ts";

const prefixOfType: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};
const idPattern = /^[a-zA-Z0-9_-]+$/;

export function* identityFindings(request: ResponsesRequest): Generator<Rejection> {
  const seen = new Set<string>();
  for (const one of request.items) {
    const id = asText(one.item.id);
    if (one.type === "item_reference") yield* referenceFindings(request, id);
    if (id === "") continue;
    yield* formFindings(one, id);
    if (seen.has(id)) {
      yield {
        rule: "R-DUP-6",
        message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        param: "input",
      };
    }
    seen.add(id);
    yield* storedFindings(request, one, id);
  }
}

/** Every reference that the server could resolve has become its item before. */
function* referenceFindings({ context, body }: ResponsesRequest, id: string): Generator<Rejection> {
  if (context.settings.unknownAnchors === "reject" || body.store === false) yield notFound(id, context.settings);
}

function* formFindings({ path, type }: InputItem, id: string): Generator<Rejection> {
  const prefix = prefixOfType[type];
  const rule = "R-ID-8";
  const param = `${path}.id`;
  if (!idPattern.test(id)) {
    const message = `Invalid '${path}.id': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`;
    yield { rule, message, param, code: "invalid_value" };
  } else if (prefix !== undefined && !id.startsWith(prefix)) {
    const message = `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${prefix}'.`;
    yield { rule, message, param, code: "invalid_value" };
  }
}

/** Reasoning without its seal is only a name for something that the server must have kept. */
function* storedFindings({ context, body }: ResponsesRequest, one: InputItem, id: string): Generator<Rejection> {
  if (one.type !== "reasoning" || one.path === "history" || context.memory.items.has(id)) return;
  if (typeof one.item.encrypted_content === "string") return;
  if (context.settings.unknownAnchors === "accept" && body.store !== false) return;
  yield notFound(id, context.settings);
}

function notFound(id: string, { zeroDataRetention }: { readonly zeroDataRetention: boolean }): Rejection {
  const why = zeroDataRetention
    ? "Items are not persisted for Zero Data Retention organizations. Remove this item from your input and try again."
    : "Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.";
  return { rule: "R-STORE-12", message: `Item with id '${id}' not found. ${why}`, param: "input" };
}
