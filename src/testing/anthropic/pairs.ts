/** Calls and results: one walk over the merged turns that carries the calls still owed a result. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import type { PlacedBlock, Turn } from "./conversation.ts";

interface Owed {
  /** Path of the row that made the calls. */
  readonly path: string;
  readonly ids: ReadonlySet<string>;
}

export function* pairFindings({ conversation, unknownHistory }: AnthropicRequest): Generator<Rejection> {
  const idsSeen = new Set<string>();
  const serverCalls = new Set<string>();
  // Behind a history that only the server knows, the first results may answer any call.
  let owed: Owed | "anything" = unknownHistory ? "anything" : { path: "", ids: new Set() };
  for (const [at, turn] of conversation.turns.entries()) {
    if (turn.role === "assistant") {
      owed = yield* callsOf(turn, idsSeen);
      yield* serverToolFindings(turn, serverCalls, at === conversation.turns.length - 1);
    } else {
      if (owed !== "anything") yield* settle(turn, owed);
      owed = { path: "", ids: new Set() };
    }
  }
  if (owed !== "anything" && owed.ids.size > 0) yield unanswered("A-PAIR-1", owed.path, owed.ids);
}

function* callsOf(turn: Turn, idsSeen: Set<string>): Generator<Rejection, Owed> {
  const ids = new Set<string>();
  let path = "";
  for (const block of turn.blocks) {
    if (block.type === "text" && ids.size > 0) yield unanswered("A-ASST-4", path, ids);
    if (block.type !== "tool_use") continue;
    const id = asText(block.block.id);
    if (idsSeen.has(id)) yield { rule: "A-DUP-6", message: `${block.path}: \`tool_use\` ids must be unique` };
    idsSeen.add(id);
    path = rowPath(block);
    ids.add(id);
  }
  return { path, ids };
}

/**
 * A server tool runs inside the assistant turn, so its result stands there too; only a paused last turn may be open. What
 * happens to a pair that stands there twice, or to a result in a later turn, is not known, and passes.
 */
function* serverToolFindings(turn: Turn, called: Set<string>, isLast: boolean): Generator<Rejection> {
  const open = new Map<string, string>();
  let clientCalled = false;
  for (const { type, block, path } of turn.blocks) {
    if (type === "tool_use") clientCalled = true;
    if (type === "server_tool_use") {
      open.set(asText(block.id), asText(block.name));
      called.add(asText(block.id));
      if (clientCalled) yield openServerTool(asText(block.id), asText(block.name));
    }
    if (!type.endsWith("_tool_result") || type === "mcp_tool_result") continue;
    open.delete(asText(block.tool_use_id));
    if (!called.has(asText(block.tool_use_id))) {
      yield {
        rule: "A-SRV-8",
        message:
          `${path}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${block.tool_use_id}. Each \`${type}\` ` +
          "block must have a corresponding `server_tool_use` block before it.",
      };
    }
  }
  if (isLast) return;
  for (const [id, name] of open) yield openServerTool(id, name);
}

function openServerTool(id: string, name: string): Rejection {
  const message = `\`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`;
  return { rule: "A-SRV-8", message };
}

/** Results must be the first blocks behind their calls, each call answered once. */
function* settle(turn: Turn, owed: Owed): Generator<Rejection> {
  const answered = new Set<string>();
  const late = new Set<string>();
  let leading = true;
  for (const { type, block, path } of turn.blocks) {
    if (type !== "tool_result") {
      leading = false;
      continue;
    }
    const id = asText(block.tool_use_id);
    if (!owed.ids.has(id)) yield unexpected(path, id);
    if (answered.has(id) || late.has(id)) {
      yield {
        rule: "A-DUPRES-7",
        message: `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      };
    }
    (leading ? answered : late).add(id);
  }
  if (late.size > 0) yield unanswered("A-LEAD-3", owed.path, late);
  const missing = new Set([...owed.ids].filter((id) => !answered.has(id) && !late.has(id)));
  if (missing.size > 0) yield unanswered("A-PAIR-1", owed.path, missing);
}

function unexpected(path: string, id: string): Rejection {
  return {
    rule: "A-PAIR-2",
    message:
      `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have ` +
      "a corresponding `tool_use` block in the previous message.",
  };
}

/** One text for three faults: the API says that results are missing also where they only stand in the wrong place. */
function unanswered(rule: string, path: string, ids: ReadonlySet<string>): Rejection {
  return {
    rule,
    message:
      `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...ids].join(", ")}. ` +
      "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  };
}

function rowPath(block: PlacedBlock): string {
  return `messages.${block.row}`;
}
