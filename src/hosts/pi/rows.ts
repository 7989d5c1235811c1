/** Pi's message list as the gate reads it: a row for each message, and a message of ours in Pi's form. */
import type { HostArray } from "../../dispatch/repair-array.ts";
import { type Block, isObject, type JsonObject, type Row, stringOf } from "../../wire/request.ts";
import type { AgentMessage } from "../agent-api.ts";

/** @param messages what Pi's `context` hook shows: the session without its system messages */
export function piArray(messages: readonly AgentMessage[]): HostArray<AgentMessage> {
  return { rows: messages.filter(isSent), toRow, toUserRow };
}

/** A command of the user that Pi keeps from the model never reaches the encoder. */
function isSent({ role, excludeFromContext }: AgentMessage): boolean {
  return role !== "bashExecution" || excludeFromContext !== true;
}

function toUserRow(content: unknown): AgentMessage {
  // Pi sorts nothing by time, and a fixed one keeps the row the same on every turn.
  return { role: "user", content, timestamp: 0 };
}

function toRow(message: AgentMessage, index: number): Row {
  const path = `/messages/${index}`;
  const contentPath = `${path}/content`;
  const form = typeof message.content === "string" ? "string" : "blocks";
  const place = { index, path, contentPath, form, value: message } as const;
  switch (message.role) {
    case "user":
    case "custom":
      return { ...place, role: "user", blocks: readContent(message.content, contentPath) };
    case "assistant":
      return {
        ...place,
        role: "assistant",
        blocks: isDropped(message) ? [] : readContent(message.content, contentPath),
      };
    case "toolResult":
      return { ...place, role: "tool", blocks: [readResult(message, path)] };
    // Pi sends these as the user's, in words of its own around what they hold.
    case "bashExecution":
      return { ...place, role: "user", blocks: [{ kind: "note", path, type: message.role, value: message.command }] };
    case "compactionSummary":
    case "branchSummary":
      return { ...place, role: "user", blocks: [{ kind: "note", path, type: message.role, value: message.summary }] };
    default:
      return { ...place, role: "other", blocks: [] };
  }
}

/** Pi's encoder leaves out what a broken turn began, but keeps the results of its calls. */
function isDropped({ stopReason }: AgentMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

function readResult(message: AgentMessage, path: string): Block {
  return {
    kind: "result",
    path,
    value: message,
    callId: stringOf(message.toolCallId),
    isError: message.isError === true,
  };
}

function readContent(content: unknown, path: string): Block[] {
  if (typeof content === "string") return [{ kind: "text", path, value: content, text: content }];
  return Array.isArray(content) ? content.map((part, index) => readPart(part, `${path}/${index}`)) : [];
}

function readPart(value: unknown, path: string): Block {
  const part: JsonObject = isObject(value) ? value : {};
  switch (part.type) {
    case "text":
      return { kind: "text", path, value, text: stringOf(part.text) };
    case "image":
      return { kind: "media", path, value };
    case "thinking":
      return { kind: "thinking", path, value, text: stringOf(part.thinking), seal: null };
    case "toolCall":
      return { kind: "call", path, value, id: stringOf(part.id), name: stringOf(part.name), input: part.arguments };
    default:
      return { kind: "opaque", path, value, type: stringOf(part.type) };
  }
}
