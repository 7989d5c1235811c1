/** Single items of a Responses input: their ids, names and lengths. */
import { isObject, type Row, type WireRequest } from "../../wire/request.ts";
import { idTally } from "../id-tally.ts";
import type { Fault } from "../rule.ts";
import type { IdFault } from "./ids-anthropic.ts";
import { perRow } from "./per-row.ts";

export interface ItemFault extends Fault {
  readonly row: Row;
}

export interface RepeatedItemFault extends ItemFault {
  /** The item that had the id first. */
  readonly first: Row;
}

const ID_PREFIXES: Readonly<Record<string, string>> = { message: "msg", reasoning: "rs", function_call: "fc" };

/** Item ids of another server: the wrong prefix, or characters that no id here has. */
export const foreignItemIds = perRow((row): ItemFault[] => {
  const { id } = row.value;
  const type = typeOf(row);
  const prefix = ID_PREFIXES[type] ?? (type === "function_call_output" ? "" : undefined);
  if (typeof id !== "string" || prefix === undefined) return [];
  if (id.startsWith(prefix) && /^[a-zA-Z0-9_-]+$/.test(id)) return [];
  return [{ path: `${row.path}/id`, message: `'${id.slice(0, 80)}' is no id of a ${type} item`, row }];
});

/** Text of the assistant that is said to come from the user. */
export const inputTextOfAssistant = perRow(({ role, value, path }): Fault[] => {
  if (role !== "assistant" || !Array.isArray(value.content)) return [];
  return value.content.flatMap((part, at) => {
    if (!isObject(part) || part.type !== "input_text") return [];
    return [{ path: `${path}/content/${at}/type`, message: "text of an assistant message has the type input_text" }];
  });
});

/** One id on two items. */
export function repeatedItemIds({ rows }: WireRequest): RepeatedItemFault[] {
  if (!hasRepeatedIds(rows)) return [];
  const seen = new Map<string, Row>();
  return rows.flatMap((row) => {
    const id = itemIdOf(row);
    if (id === null) return [];
    const first = seen.get(id);
    if (first !== undefined) return [{ path: `${row.path}/id`, message: `the id ${id} names two items`, row, first }];
    seen.set(id, row);
    return [];
  });
}

const hasRepeatedIds = idTally(
  ["item"],
  (row) => {
    const id = itemIdOf(row);
    return id === null ? [] : [{ id, part: "item" }];
  },
  ({ item }) => item > 1,
);

/** A shell output of older clients has the id of its call, and none of its own. */
function itemIdOf({ value, blocks }: Row): string | null {
  const { id } = value;
  if (typeof id !== "string" || id === "") return null;
  return blocks[0]?.kind === "result" && !("call_id" in value) ? null : id;
}

const CALL_ID_LENGTH_MAX = 64;

/** Call ids that are too long, each once. */
export function longCallIds(request: WireRequest): IdFault[] {
  const faults = new Map<string, IdFault>();
  for (const fault of longCallIdsOfRows(request)) if (!faults.has(fault.id)) faults.set(fault.id, fault);
  return [...faults.values()];
}

const longCallIdsOfRows = perRow((row): IdFault[] => {
  const id = row.value.call_id;
  if (typeof id !== "string" || id.length <= CALL_ID_LENGTH_MAX) return [];
  const message = `a call_id of ${id.length} characters; at most ${CALL_ID_LENGTH_MAX} are taken`;
  return [{ path: `${row.path}/call_id`, message, id }];
});

export const badCallNames = perRow((row): ItemFault[] => {
  const { name } = row.value;
  if (row.value.type !== "function_call" || typeof name !== "string" || /^[a-zA-Z0-9_-]+$/.test(name)) return [];
  return [{ path: `${row.path}/name`, message: "the name of a call does not match ^[a-zA-Z0-9_-]+$", row }];
});

/** Tokens of the format that the models speak inside. */
export const CONTROL_TOKENS = /<\|(start|end|message|channel|constrain|return|call)\|>/g;

export interface TokenFault extends Fault {
  readonly text: string;
}

/** Control tokens in messages and outputs; what stands in arguments is the model's own. */
export const controlTokens = perRow((row): TokenFault[] =>
  wordsOf(row).flatMap(({ path, text }) =>
    text.search(CONTROL_TOKENS) === -1
      ? []
      : [{ path, message: "the text holds a control token of the model's own format", text }],
  ),
);

function wordsOf(row: Row): { path: string; text: string }[] {
  const isResult = row.blocks[0]?.kind === "result";
  const words = isResult ? row.value.output : row.value.content;
  if (typeOf(row) !== "message" && !isResult) return [];
  const path = isResult ? `${row.path}/output` : row.contentPath;
  if (typeof words === "string") return [{ path, text: words }];
  if (!Array.isArray(words)) return [];
  return words.flatMap((part, index) =>
    isObject(part) && typeof part.text === "string" ? [{ path: `${path}/${index}/text`, text: part.text }] : [],
  );
}

function typeOf(row: Row): string {
  return typeof row.value.type === "string" ? row.value.type : "message";
}
