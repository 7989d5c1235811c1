/** Cache markers, counted and ordered over tools, system and messages; the top-level one stands last. */
import { asObject, asObjects, isObject, type JsonObject } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";

const markersMax = 4;
const unmarkable = new Set(["thinking", "redacted_thinking", "tool_addition", "tool_removal"]);

interface Marked {
  readonly path: string;
  readonly holder: JsonObject;
  readonly marker: JsonObject;
}

export function* markerFindings(request: AnthropicRequest): Generator<Rejection> {
  const marked = [...markersOf(request)];
  for (const one of marked) yield* placeFindings(one, request);
  if (marked.length > markersMax) {
    yield {
      rule: "A-CC-23",
      message: `A maximum of ${markersMax} blocks with cache_control may be provided. Found ${marked.length}.`,
    };
  }
  let shortSeen = false;
  for (const { path, marker } of marked) {
    if (marker.ttl !== "1h") shortSeen = true;
    else if (shortSeen) {
      yield {
        rule: "A-CC-24",
        message:
          `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control ` +
          "block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
      };
    }
  }
}

function* markersOf({ body, conversation }: AnthropicRequest): Generator<Marked> {
  for (const [at, tool] of asObjects(body.tools).entries()) yield* markerOf(`tools.${at}`, tool);
  for (const [at, block] of asObjects(body.system).entries()) yield* markerOf(`system.${at}`, block);
  for (const { blocks } of conversation.rows) {
    for (const { path, block, type } of blocks) {
      if (type === "tool_result") {
        for (const [at, part] of asObjects(block.content).entries()) yield* markerOf(`${path}.content.${at}`, part);
      }
      yield* markerOf(path, block);
    }
  }
  yield* markerOf("", body);
}

function* markerOf(path: string, holder: JsonObject): Generator<Marked> {
  const marker = holder.cache_control;
  if (isObject(marker)) yield { path, holder, marker };
}

function* placeFindings({ path, holder, marker }: Marked, request: AnthropicRequest): Generator<Rejection> {
  if (unmarkable.has(String(holder.type))) {
    yield { rule: "A-CC-25", message: `${path}.${holder.type}.cache_control: Extra inputs are not permitted` };
  }
  if (holder.defer_loading === true) {
    yield { rule: "A-CC-25", message: `${path}: Tools with defer_loading=true cannot use cache_control` };
  }
  if (holder.type === "text" && holder.text === "") {
    yield { rule: "A-CC-25", message: `${path}: cache_control cannot be set for empty text blocks` };
  }
  if (request.context.settings.backend === "bedrock" && asObject(marker).ttl !== undefined) {
    yield { rule: "A-CC-25", message: `${path}.cache_control.ephemeral.ttl: Extra inputs are not permitted` };
  }
}
