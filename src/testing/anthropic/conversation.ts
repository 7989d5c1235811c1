/** The `messages` of a request as the API sees them: blocks with their places, and neighbours of one role merged. */
import { asList, asObject, asText, type JsonObject } from "../json-value.ts";

export interface PlacedBlock {
  readonly role: string;
  /** Index into `messages`; negative for rows that the server added from a thread. */
  readonly row: number;
  readonly index: number;
  /** As error texts write it: `messages.1.content.0`. */
  readonly path: string;
  readonly type: string;
  readonly block: JsonObject;
}

export interface Row {
  readonly role: string;
  readonly path: string;
  readonly message: JsonObject;
  readonly blocks: readonly PlacedBlock[];
}

/** Consecutive rows of one role. */
export interface Turn {
  readonly role: string;
  readonly blocks: readonly PlacedBlock[];
}

export interface Conversation {
  readonly rows: readonly Row[];
  /** User and assistant turns; system rows belong to none. */
  readonly turns: readonly Turn[];
}

/** @param heldRows how many rows at the front the client did not send */
export function readConversation(messages: unknown, heldRows = 0): Conversation {
  const rows = asList(messages).map((message, at) => readRow(asObject(message), at - heldRows));
  const turns: { role: string; blocks: PlacedBlock[] }[] = [];
  for (const row of rows) {
    if (row.role === "system") continue;
    const last = turns.at(-1);
    if (last?.role === row.role) last.blocks.push(...row.blocks);
    else turns.push({ role: row.role, blocks: [...row.blocks] });
  }
  return { rows, turns };
}

function readRow(message: JsonObject, row: number): Row {
  const role = asText(message.role);
  const path = `messages.${row}`;
  const blocks = blocksOf(message.content).map((block, index) => {
    return { role, row, index, path: `${path}.content.${index}`, type: asText(block.type), block };
  });
  return { role, path, message, blocks };
}

/** A string counts as one text block; that is how the API treats it. */
export function blocksOf(content: unknown): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asList(content).map(asObject);
}

export function isThinking(block: PlacedBlock): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}
