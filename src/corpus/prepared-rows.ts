/**
 * The rows that a host held before its encoder wrote the body: one for each of its messages, in words that all hosts share.
 * They stand in `prepared.json` beside the request, so that a replay finds the differences between the two again.
 */
import { z } from "zod";
import { contentText } from "../dispatch/window.ts";
import type { Block, Row } from "../wire/request.ts";
import { formatDocument, parseDocument } from "./fixture.ts";

const blockSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("thinking"), thinking: z.string() }),
  z.strictObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.strictObject({ type: z.literal("tool_result"), tool_use_id: z.string(), content: z.string() }),
  z.strictObject({ type: z.literal("image") }),
  /** Words that the host writes into a sentence of its own: a summary, a command of the user. */
  z.strictObject({ type: z.literal("note"), text: z.string() }),
  z.strictObject({ type: z.literal("unknown") }),
]);

const rowSchema = z.strictObject({
  role: z.enum(["user", "assistant", "system", "tool", "other"]),
  content: z.array(blockSchema),
});

const preparedSchema = z.strictObject({
  schema: z.literal(1),
  /** Name of the agent program. */
  host: z.string(),
  rows: z.array(rowSchema),
});

export type PreparedRows = z.infer<typeof preparedSchema>;

type PreparedBlock = z.infer<typeof blockSchema>;

/** @throws HoldfastError `fixture_invalid` */
export function parsePrepared(text: string, file: string): PreparedRows {
  return parseDocument(preparedSchema, text, file);
}

export function formatPrepared(prepared: PreparedRows): string {
  return formatDocument(prepared);
}

export function toPrepared(host: string, rows: readonly Row[]): PreparedRows {
  return { schema: 1, host, rows: rows.map(({ role, blocks }) => ({ role, content: blocks.map(toPreparedBlock) })) };
}

function toPreparedBlock(block: Block): PreparedBlock {
  switch (block.kind) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "thinking", thinking: block.text };
    case "call":
      return { type: "tool_use", id: block.id, name: block.name, input: block.input ?? null };
    case "result":
      return { type: "tool_result", tool_use_id: block.callId, content: contentText(block.value) };
    case "media":
      return { type: "image" };
    case "note":
      return { type: "note", text: typeof block.value === "string" ? block.value : "" };
    default:
      return { type: "unknown" };
  }
}

/** As the gate reads a host's own rows. */
export function toRows({ rows }: PreparedRows): readonly Row[] {
  return rows.map(({ role, content }, index): Row => {
    const path = `/rows/${index}`;
    const contentPath = `${path}/content`;
    const blocks = content.map((block, at) => toBlock(block, `${contentPath}/${at}`));
    return { index, path, role, value: {}, form: "blocks", contentPath, blocks };
  });
}

function toBlock(block: PreparedBlock, path: string): Block {
  const place = { path, value: block };
  switch (block.type) {
    case "text":
      return { ...place, kind: "text", text: block.text };
    case "thinking":
      return { ...place, kind: "thinking", text: block.thinking, seal: null };
    case "tool_use":
      return { ...place, kind: "call", id: block.id, name: block.name, input: block.input };
    case "tool_result":
      return { ...place, kind: "result", callId: block.tool_use_id, isError: false };
    case "image":
      return { ...place, kind: "media" };
    case "note":
      return { path, kind: "note", type: "note", value: block.text };
    case "unknown":
      return { ...place, kind: "opaque", type: "unknown" };
  }
}
