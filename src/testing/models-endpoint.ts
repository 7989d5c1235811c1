/** GET /models and /models/{id}: Anthropic's shape for its clients, OpenAI's for all others. */
import { accept, type Call, reject } from "./call.ts";
import type { JsonObject } from "./json-value.ts";

const createdAt = "2026-01-01T00:00:00Z";

export function listModels(call: Call): void {
  const { models } = call.context.settings;
  const data = models.map((id) => describe(id, isAnthropicClient(call)));
  const page = { has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
  accept(call, isAnthropicClient(call) ? { data, ...page } : { object: "list", data });
}

export function showModel(call: Call, id: string): void {
  if (call.context.settings.models.includes(id)) {
    accept(call, describe(id, isAnthropicClient(call)));
  } else {
    const error = { type: "not_found_error", message: `model: ${id}` };
    reject(call, { status: 404, rule: null, body: isAnthropicClient(call) ? { type: "error", error } : { error } });
  }
}

function describe(id: string, anthropic: boolean): JsonObject {
  if (anthropic) return { type: "model", id, display_name: id, created_at: createdAt };
  return { id, object: "model", created: Date.parse(createdAt) / 1000, owned_by: "simulated" };
}

function isAnthropicClient(call: Call): boolean {
  return call.captured.headers["anthropic-version"] !== undefined;
}
