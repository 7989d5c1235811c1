/** Message threads: the server holds the conversation, and a continuing request sends only what is new. */
import { asList, asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { ProviderContext } from "../provider-context.ts";
import type { Rejection } from "../rejection.ts";
import { blocksOf } from "./conversation.ts";
import { withoutMarkers } from "./prompt-segments.ts";

/** How long the server holds a thread that nobody continues. */
const threadLifeMs = 5 * 60_000;

export type ResolvedThread =
  | { readonly kind: "rejected"; readonly rejection: Rejection }
  | {
      readonly kind: "resolved";
      /** With the held history in front. */
      readonly body: JsonObject;
      readonly rows: number;
      readonly unknown: boolean;
    };

export function resolveThread(body: JsonObject, context: ProviderContext): ResolvedThread {
  const thread = asObject(body.thread);
  if (thread.type !== "continue") return { kind: "resolved", body, rows: 0, unknown: false };
  const id = asText(thread.previous_message_id);
  const held = context.memory.threads.get(id);
  if (held === undefined || held.expiresAt <= context.settings.clock.now()) {
    if (context.settings.unknownAnchors === "accept") return { kind: "resolved", body, rows: 0, unknown: true };
    return rejected("thread_not_found", `No usable thread state was found for \`previous_message_id\` ${id}.`, 404);
  }
  if (held.continued === "in-flight") {
    return rejected("thread_continue_in_flight", `Another request is still continuing from ${id}.`);
  }
  if (held.continued === "yes") return rejected("thread_already_continued", `${id} has already been continued.`);
  const changed = changedFields(body, held);
  if (changed.length > 0) {
    return rejected("thread_fingerprint_mismatch", `These fields differ from the thread's: ${changed.join(", ")}.`);
  }
  const messages = [...held.messages, ...asList(body.messages)];
  const whole = { ...body, system: held.system, tools: held.tools, messages };
  return { kind: "resolved", body: whole, rows: held.messages.length, unknown: false };
}

/** Called when the answer begins: nobody else may continue from the same place. */
export function claimThread(body: JsonObject, context: ProviderContext): void {
  const held = heldOf(body, context);
  if (held !== undefined) held.continued = "in-flight";
}

/** Holds the conversation under the id of the answer that ends it; an answer that failed gives the place back. */
export function holdThread(
  body: JsonObject,
  whole: JsonObject,
  answer: { readonly id: string; readonly content: readonly JsonObject[] } | null,
  context: ProviderContext,
): void {
  const continued = heldOf(body, context);
  if (continued !== undefined) continued.continued = answer === null ? "no" : "yes";
  if (answer === null || body.thread === undefined || context.settings.zeroDataRetention) return;
  context.memory.threads.set(answer.id, {
    model: asText(whole.model),
    system: whole.system,
    tools: whole.tools,
    messages: [...asObjects(whole.messages).map(withoutRowMarkers), { role: "assistant", content: answer.content }],
    expiresAt: context.settings.clock.now() + threadLifeMs,
    continued: "no",
  });
}

/** Markers belong to the request that carries them; those of earlier turns no longer count. */
function withoutRowMarkers(message: JsonObject): JsonObject {
  return { ...message, content: blocksOf(message.content).map(withoutMarkers) };
}

function heldOf(body: JsonObject, context: ProviderContext) {
  const thread = asObject(body.thread);
  return thread.type === "continue" ? context.memory.threads.get(asText(thread.previous_message_id)) : undefined;
}

function changedFields(body: JsonObject, held: { model: string; system: unknown; tools: unknown }): string[] {
  const fields = ["model", "system", "tools"] as const;
  return fields.filter((name) => body[name] !== undefined && JSON.stringify(body[name]) !== JSON.stringify(held[name]));
}

function rejected(code: string, message: string, status = 400): ResolvedThread {
  return { kind: "rejected", rejection: { rule: "A-THR-29", message, code, status } };
}
