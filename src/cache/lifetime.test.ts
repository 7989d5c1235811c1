import { expect, test } from "vitest";
import { readRequest } from "../dispatch/document.ts";
import type { Api, Backend } from "../wire/api.ts";
import { cacheLifetimeMs } from "./lifetime.ts";

const MINUTE_MS = 60_000;

function minutes(api: Api, backend: Backend, body: object): number {
  return cacheLifetimeMs(readRequest(api, body as never), backend) / MINUTE_MS;
}

const marker = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl && { ttl }) } });
const words = { type: "text", text: "x" };
const messages = [{ role: "user", content: [words] }];

test("DG-26 Anthropic keeps what a marker asks for, for as long as the longest one asks", () => {
  const of = (body: object) => minutes("anthropic-messages", "anthropic", { messages, ...body });
  expect(of({})).toBe(0);
  expect(of(marker())).toBe(5);
  expect(of({ tools: [{ name: "a", ...marker("1h") }], ...marker() })).toBe(60);
  expect(of({ system: [{ ...words, ...marker() }] })).toBe(5);
  expect(of({ messages: [{ role: "user", content: [{ ...words, ...marker("1h") }] }] })).toBe(60);
  const result = { type: "tool_result", tool_use_id: "a", content: [{ ...words, ...marker() }] };
  expect(of({ messages: [{ role: "user", content: [result] }] })).toBe(5);
  expect(of({ messages: [{ role: "assistant", content: [{ type: "tool_use", input: marker("1h") }] }] })).toBe(0);
});

test("DG-26 Bedrock keeps what a cache point asks for", () => {
  const point = (ttl?: string) => ({ cachePoint: { type: "default", ...(ttl && { ttl }) } });
  const rows = [{ role: "user", content: [{ text: "x" }] }];
  const of = (body: object) => minutes("bedrock-converse-stream", "bedrock", { messages: rows, ...body });
  expect(of({})).toBe(0);
  expect(of({ system: [{ text: "s" }, point()] })).toBe(5);
  expect(of({ toolConfig: { tools: [{ toolSpec: { name: "a" } }, point("1h")] } })).toBe(60);
  expect(of({ messages: [{ role: "user", content: [{ text: "x" }, point()] }] })).toBe(5);
});

test("DG-26 servers that cache by themselves keep what the request asks for, else what they are known for", () => {
  const openai = (body: object) => minutes("openai-responses", "openai", { input: "x", ...body });
  expect(openai({})).toBe(60);
  expect(openai({ prompt_cache_retention: "in_memory" })).toBe(60);
  expect(openai({ prompt_cache_retention: "24h" })).toBe(24 * 60);
  expect(openai({ prompt_cache_options: { ttl: "30m" } })).toBe(30);
  expect(openai({ prompt_cache_options: { ttl: "12h" } })).toBe(12 * 60);
  expect(minutes("openai-completions", "groq", { messages })).toBe(120);
  expect(minutes("anthropic-messages", "zai", { messages })).toBe(60);
});
