/**
 * The prompt in the order in which the provider reads it: tools, system, messages. Markers are not content, a string
 * is the same as one text block, and neighbours of one role are the same as one row.
 */
import { asObjects, isObject, type JsonObject, without } from "../json-value.ts";
import type { CacheLife, PromptSegment } from "../meter/marked-cache.ts";
import { blocksOf, type Conversation, type PlacedBlock } from "./conversation.ts";

export function toolSegments(body: JsonObject): readonly PromptSegment[] {
  return asObjects(body.tools).map((tool) => segment("tool", tool));
}

export function systemSegments(body: JsonObject): readonly PromptSegment[] {
  return blocksOf(body.system).map((block) => segment("system", block));
}

/** One segment per block, with the block; a system row that carries settings has one more for them. */
export function* messageSegments(
  conversation: Conversation,
): Generator<{ readonly block: PlacedBlock | null; readonly segment: PromptSegment }> {
  for (const row of conversation.rows) {
    const settings = without(without(row.message, "content"), "role");
    if (row.role === "system" && Object.keys(settings).length > 0) {
      yield { block: null, segment: segment("system settings", settings) };
    }
    for (const block of row.blocks) yield { block, segment: segment(row.role, block.block) };
  }
}

function segment(role: string, block: JsonObject): PromptSegment {
  const life = lifeOf(block);
  const text = `${role} ${JSON.stringify(withoutMarkers(block))}`;
  return life === undefined ? { text } : { text, marker: life };
}

export function lifeOf(holder: JsonObject): CacheLife | undefined {
  const marker = holder.cache_control ?? asObjects(holder.content).findLast((one) => one.cache_control)?.cache_control;
  if (!isObject(marker)) return undefined;
  return marker.ttl === "1h" ? "1h" : "5m";
}

/** Also those on the parts of a tool result; what stands deeper is the user's data. */
export function withoutMarkers(block: JsonObject): JsonObject {
  const bare = without(block, "cache_control");
  if (!Array.isArray(bare.content)) return bare;
  return { ...bare, content: bare.content.map((part) => (isObject(part) ? without(part, "cache_control") : part)) };
}
