/** Where a moved prefix is more than a cost: the provider rejects thinking that is bound to another prefix. */
import { boundThinking } from "../../dispatch/models.ts";
import { isObject } from "../../wire/request.ts";
import type { Change } from "./change.ts";
import type { SessionRequest } from "./session-request.ts";

/** Rules that AFTER breaks because of the change: empty, or the rule of bound thinking. */
export function findHardRules(after: SessionRequest, decisive: Change): readonly string[] {
  if (after.api !== "anthropic-messages" || !boundThinking(after.model) || decisive.weight !== "prompt") return [];
  if (dropsMismatches(after.body.thinking)) return [];
  const rows = after.layout.history.parts;
  const changed = rows.findIndex((row) => row.path.every((step, index) => decisive.unit[index] === step));
  // A change of tools or system text stands in front of all rows; one of a row's own blocks counts as in front of it.
  return rows.slice(Math.max(0, changed)).some((row) => holdsThinking(row.value)) ? ["A-PREFIX-19"] : [];
}

/** The request may ask the provider to drop such thinking instead. */
function dropsMismatches(thinking: unknown): boolean {
  const binding = isObject(thinking) ? thinking.block_binding : undefined;
  return isObject(binding) && binding.prefix_mismatch_behavior === "drop_block";
}

function holdsThinking(row: unknown): boolean {
  const content = isObject(row) ? row.content : undefined;
  return Array.isArray(content) && content.some((block) => isObject(block) && THINKING_TYPES.has(block.type));
}

const THINKING_TYPES = new Set<unknown>(["thinking", "redacted_thinking"]);
