import { hashOf } from "../id-table.ts";
import { type JsonObject, listOf, objectOf, textOf, timeOf } from "../json-value.ts";
import type { BreakCause, ProvenCause } from "../transcript.ts";

/**
 * The requests that Claude Code logs from 2.1.306 on. Two requests in a row show what moved between them, to the tool
 * name and the message, without any guess.
 */

interface Shape {
  readonly system: readonly number[];
  readonly tools: readonly { readonly name: string; readonly hash: number }[];
}

interface LoggedRequest {
  readonly at: number;
  readonly model: string;
  readonly settings: string;
  readonly shapeHash: string;
  readonly messages: readonly string[];
  readonly markers: string;
}

interface Answerable {
  readonly requestAt: number;
  readonly proven: ProvenCause | undefined;
}

/** Shapes are large and change seldom; requests wait for their answer only briefly. */
const shapesKept = 16;
const requestsKept = 256;

export class RequestLog {
  readonly #shapes = new Map<string, Shape>();
  readonly #lastInLane = new Map<string, LoggedRequest>();
  readonly #messagesById = new Map<string, readonly string[]>();
  readonly #answerable = new Map<string, Answerable>();

  visit(row: JsonObject): void {
    if (row.type === "api-request-shape") this.#readShape(row);
    if (row.type === "api-request") this.#readRequest(row);
  }

  /** What the log says about the request that a response answers. */
  find(requestRef: string | undefined): Answerable | undefined {
    return requestRef === undefined ? undefined : this.#answerable.get(requestRef);
  }

  #readShape(row: JsonObject): void {
    const shape = objectOf(row.shape);
    const tools = listOf(shape?.tools).map((tool) => ({
      name: textOf(objectOf(tool)?.name) ?? "",
      hash: hashOf(JSON.stringify(tool)),
    }));
    const system = listOf(shape?.system).map((block) => hashOf(JSON.stringify(block)));
    keep(this.#shapes, String(row.shapeHash), { system, tools }, shapesKept);
  }

  #readRequest(row: JsonObject): void {
    const params = objectOf(row.params) ?? {};
    const { model, max_tokens: _outputLimit, ...settings } = params;
    const base = this.#messagesById.get(String(row.base)) ?? [];
    const request: LoggedRequest = {
      at: timeOf(row.timestamp),
      model: String(model),
      settings: JSON.stringify(settings),
      shapeHash: String(row.shapeHash),
      messages: [...base.slice(0, Number(row.keep ?? 0)), ...listOf(row.tail).map(String)],
      markers: JSON.stringify(listOf(row.cacheControl).map((marker) => objectOf(marker)?.value)),
    };
    const lane = String(row.agentId ?? row.querySource);
    const before = this.#lastInLane.get(lane);
    const proven = before === undefined ? undefined : this.#compare(before, request);
    this.#lastInLane.set(lane, request);
    const id = String(row.id);
    keep(this.#messagesById, id, request.messages, requestsKept);
    keep(this.#answerable, id, { requestAt: request.at, proven }, requestsKept);
  }

  /** In the provider's order: what comes first decides. Undefined where the prompt only grew. */
  #compare(before: LoggedRequest, after: LoggedRequest): ProvenCause | undefined {
    if (before.model !== after.model) return prove("model", `${before.model} → ${after.model}`);
    if (before.shapeHash !== after.shapeHash) {
      return this.#compareShapes(this.#shapes.get(before.shapeHash), this.#shapes.get(after.shapeHash));
    }
    const changed = before.messages.findIndex((hash, index) => hash !== after.messages[index]);
    if (changed !== -1) return prove("history_rewritten", `message ${changed}`);
    if (before.settings !== after.settings) return prove("settings", undefined);
    if (before.markers !== after.markers) return prove("cache_marker_only", undefined);
    return undefined;
  }

  #compareShapes(before: Shape | undefined, after: Shape | undefined): ProvenCause | undefined {
    if (before === undefined || after === undefined) return undefined;
    const namesBefore = before.tools.map((tool) => tool.name);
    const namesAfter = after.tools.map((tool) => tool.name);
    const removed = namesBefore.find((name) => !namesAfter.includes(name));
    if (removed !== undefined) return prove("tool_removed", removed);
    const added = namesAfter.find((name) => !namesBefore.includes(name));
    if (added !== undefined) return prove("tool_added", added);
    const moved = namesAfter.find((name, index) => name !== namesBefore[index]);
    if (moved !== undefined) return prove("tool_order", moved);
    const changed = after.tools.find((tool, index) => tool.hash !== before.tools[index]?.hash);
    if (changed !== undefined) return prove("tool_schema", changed.name);
    const block = after.system.findIndex((hash, index) => hash !== before.system[index]);
    return prove("system_text", `system block ${Math.max(block, 0)}`);
  }
}

/** What the provider itself said about a miss, where the host asked it (`diagnostics`). */
export function diagnosedCause(message: JsonObject): ProvenCause | undefined {
  const reason = objectOf(objectOf(message.diagnostics)?.cache_miss_reason)?.type;
  const causes: Readonly<Record<string, BreakCause>> = {
    model_changed: "model",
    system_changed: "system_text",
    tools_changed: "tools",
    messages_changed: "history_rewritten",
  };
  const cause = Object.hasOwn(causes, String(reason)) ? causes[String(reason)] : undefined;
  return cause === undefined ? undefined : prove(cause, undefined);
}

function prove(cause: BreakCause, detail: string | undefined): ProvenCause {
  return { cause, detail };
}

function keep<V>(map: Map<string, V>, key: string, value: V, keysMax: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= keysMax) break;
    map.delete(oldest);
  }
}
