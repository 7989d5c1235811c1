/**
 * The body of a request, out of what an agent hands over before it sends it, and back. Most agents hand over the body
 * itself; some the argument of an SDK, which makes the body of it.
 */
import type { Api } from "../wire/api.ts";
import { isApi } from "../wire/api.ts";
import { isObject, type JsonObject, listOf } from "../wire/request.ts";

export interface PayloadBody {
  readonly api: Api;
  readonly bytes: Uint8Array;
  /** The payload to send instead: the repaired body in the agent's own form. */
  toPayload(repaired: Uint8Array): unknown;
}

/**
 * @param agentApi as the agent names it
 * @returns null where the payload holds no history that is read: Ollama's own, Cursor's, whole contexts of Pi
 * @throws TypeError for a payload that is no JSON
 */
export function openPayload(agentApi: string, payload: unknown): PayloadBody | null {
  if (!isObject(payload)) return null;
  switch (agentApi) {
    case "google-generative-ai":
    case "google-vertex":
      return openGenerateContent(agentApi, payload);
    case "google-gemini-cli":
      return openCodeAssist(payload);
    case "bedrock-converse-stream":
      return openConverse(payload);
    case "mistral-conversations":
      return openMistral(payload);
    // OMP's name for a server that takes both of OpenAI's APIs.
    case "openrouter":
      return openJson("input" in payload ? "openai-responses" : "openai-completions", payload);
    default:
      return isApi(agentApi) ? openJson(agentApi, payload) : null;
  }
}

function openJson(api: Api, payload: unknown): PayloadBody {
  return { api, bytes: Buffer.from(JSON.stringify(payload)), toPayload: parse };
}

/** `config` holds what the SDK spreads over the body, and handles that are no JSON. Repairs are about `contents`. */
function openGenerateContent(api: Api, payload: JsonObject): PayloadBody {
  const { contents } = payload;
  const { systemInstruction, tools, toolConfig, cachedContent } = isObject(payload.config) ? payload.config : {};
  return {
    ...openJson(api, { contents, systemInstruction, tools, toolConfig, cachedContent }),
    toPayload: (repaired) => ({ ...payload, contents: parse(repaired).contents }),
  };
}

/** The body of the public API, one level down. */
function openCodeAssist(payload: JsonObject): PayloadBody | null {
  if (!isObject(payload.request)) return null;
  return {
    ...openJson("google-generative-ai", payload.request),
    toPayload: (repaired) => ({ ...payload, request: parse(repaired) }),
  };
}

/** Pictures and sealed reasoning are bytes here, and Base64 in the body. */
function openConverse(payload: JsonObject): PayloadBody {
  const given = new Map<string, Uint8Array>();
  const text = JSON.stringify(payload, function (this: JsonObject, name, value) {
    const bytes = this[name];
    if (!(bytes instanceof Uint8Array)) return value;
    const base64 = Buffer.from(bytes).toString("base64");
    given.set(`${name} ${base64}`, bytes);
    return base64;
  });
  const revive = (name: string, value: unknown) => given.get(`${name} ${value}`) ?? value;
  return {
    api: "bedrock-converse-stream",
    bytes: Buffer.from(text),
    toPayload: (repaired) => JSON.parse(Buffer.from(repaired).toString(), revive),
  };
}

/** Pi names the members of a row otherwise than the wire does. */
function openMistral(payload: JsonObject): PayloadBody {
  const messages = listOf(payload.messages).map((row) => renamed(row, MISTRAL_NAMES));
  return {
    ...openJson("mistral-conversations", { ...payload, messages }),
    toPayload(repaired) {
      const body = parse(repaired);
      return { ...body, messages: listOf(body.messages).map((row) => renamed(row, PI_NAMES)) };
    },
  };
}

const MISTRAL_NAMES: Readonly<Record<string, string>> = { toolCalls: "tool_calls", toolCallId: "tool_call_id" };
const PI_NAMES = Object.fromEntries(Object.entries(MISTRAL_NAMES).map(([own, wire]) => [wire, own]));

function renamed(row: unknown, names: Readonly<Record<string, string>>): unknown {
  if (!isObject(row)) return row;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [names[name] ?? name, value]));
}

function parse(bytes: Uint8Array): JsonObject {
  return JSON.parse(Buffer.from(bytes).toString());
}
