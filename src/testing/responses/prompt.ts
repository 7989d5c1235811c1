/** The prompt as the model reads it: tools, instructions, items. Ids and states of items are no part of it. */
import { createHash } from "node:crypto";
import { asText, without } from "../json-value.ts";
import type { InputItem, ResponsesRequest } from "./responses-request.ts";

/** From here on the instructions belong to the turn and stand behind the input. */
const instructionsLastSince = 6.2;

/** @param removed items that the model does not see */
export function renderPrompt(request: ResponsesRequest, removed: ReadonlySet<InputItem> = new Set()): string {
  const items = request.items.filter((one) => !removed.has(one)).map(renderItem);
  const instructions = asText(request.body.instructions);
  const tools = JSON.stringify(request.body.tools ?? []);
  if (request.version >= instructionsLastSince) return [tools, ...items, instructions].join("\n");
  return [tools, instructions, ...items].join("\n");
}

/** For every item, a hash over what stands in front of it; the last one is for what comes behind all of them. */
export function prefixesOf({ body, version, items }: ResponsesRequest): string[] {
  const instructions = version >= instructionsLastSince ? "" : asText(body.instructions);
  let prefix = hash(JSON.stringify(body.tools ?? []), instructions);
  const prefixes = [prefix];
  for (const one of items) {
    prefix = hash(prefix, renderItem(one));
    prefixes.push(prefix);
  }
  return prefixes;
}

export function renderItem({ type, item }: InputItem): string {
  return JSON.stringify({ ...without(without(item, "id"), "status"), type });
}

function hash(before: string, text: string): string {
  return createHash("sha256").update(`${before}\n${text}`).digest("hex");
}
