/** Newer models drop reasoning whose prefix has changed. No error says so, only the response. */
import { asText } from "../json-value.ts";
import { prefixesOf } from "./prompt.ts";
import type { InputItem, ResponsesRequest } from "./responses-request.ts";

const dropsSince = 5.6;

export interface InputTransformation {
  readonly id: string;
  readonly action: "removed";
  readonly reason: "prefix_mismatch" | "model_mismatch";
  readonly type: "reasoning";
}

export interface RemovedReasoning {
  readonly items: ReadonlySet<InputItem>;
  readonly transformations: readonly InputTransformation[];
}

export function removeReasoning(request: ResponsesRequest): RemovedReasoning {
  const items = new Set<InputItem>();
  const transformations: InputTransformation[] = [];
  if (request.version < dropsSince) return { items, transformations };
  const prefixes = prefixesOf(request);
  for (const [at, one] of request.items.entries()) {
    const issued =
      one.type === "reasoning" ? request.context.memory.reasoning.get(asText(one.item.encrypted_content)) : undefined;
    if (issued === undefined) continue;
    const reason = issued.model !== request.model ? "model_mismatch" : "prefix_mismatch";
    if (reason === "prefix_mismatch" && issued.prefix === prefixes[at]) continue;
    items.add(one);
    transformations.push({ id: asText(one.item.id), action: "removed", reason, type: "reasoning" });
  }
  return { items, transformations };
}
