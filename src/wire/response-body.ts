/** What every response format reads in the same way. */
import { isObject, type JsonObject, stringOf } from "./request.ts";
import type { ProviderError } from "./response.ts";

export function parseJsonObject(json: Uint8Array | string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(typeof json === "string" ? json : textOf(json));
    return isObject(value) ? value : null;
  } catch {
    // A cut or garbled body is expected here: the client got it too, and we only look.
    return null;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** `{"error":{"type","code","message"}}`, `{"error":"…"}`, `{"detail":"…"}` and `{"message":"…"}` are all seen in the field. */
export function readErrorMember(status: number, body: JsonObject): ProviderError | null {
  const error = body.error;
  if (isObject(error)) {
    const details = isObject(error.details) ? error.details : {};
    const code = stringOf(details.error_code) || stringOf(error.code) || stringOf(error.type);
    return { status, code: code || null, message: stringOf(error.message) };
  }
  if (typeof error === "string") return { status, code: null, message: error };
  if (status < 400) return null;
  const text = stringOf(body.detail) || stringOf(body.message) || stringOf(body.Message);
  return { status, code: null, message: text };
}

export function countOf(value: unknown): number {
  return typeof value === "number" && value >= 0 ? value : 0;
}

/** The members in which a provider says why its cache missed or what it left out of the prompt. */
const DIAGNOSIS_MEMBERS = ["cache_miss_reason", "diagnostics", "prompt_cache_diagnostics", "input_transformations"];

export function readDiagnosis(body: JsonObject): JsonObject | null {
  const said = DIAGNOSIS_MEMBERS.filter((name) => (body[name] ?? null) !== null);
  return said.length === 0 ? null : Object.fromEntries(said.map((name) => [name, body[name]]));
}
