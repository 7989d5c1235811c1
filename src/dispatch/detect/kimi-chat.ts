/** What Moonshot's own server refuses, each with a text of its own. */
import { isObject, type Row, type ToolCall, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { orphanToolRows } from "./pairing-chat.ts";
import { perRow } from "./per-row.ts";
import { kimiThinks, missingKimiReasoning } from "./reasoning-chat.ts";

export interface KimiFault extends Fault {
  readonly row: Row;
  /** `orphan` is repaired under the name that it has everywhere. */
  readonly what: "reasoning" | "orphan" | "empty-part" | "empty-row";
}

export function kimiFaults(request: WireRequest): KimiFault[] {
  return [
    ...missingKimiReasoning(request).map((fault): KimiFault => ({ ...fault, what: "reasoning" })),
    ...orphanToolRows(request).map(
      ({ path, message, result }): KimiFault => ({ path, message, row: result.row, what: "orphan" }),
    ),
    ...emptyFaults(request),
  ];
}

const emptyFaults = perRow((row): KimiFault[] => {
  const texts = row.blocks.filter((block) => block.kind !== "thinking");
  const isEmpty = texts.every((block) => block.kind === "text" && block.text === "");
  // What the server makes of a refusal without content is not known.
  const refuses = typeof row.value.refusal === "string";
  if (row.role === "assistant" && isEmpty && !refuses && row.form !== "other") {
    return [{ path: row.contentPath, message: "an assistant message is empty", row, what: "empty-row" }];
  }
  if (row.form !== "blocks") return [];
  const parts = row.value.content as readonly unknown[];
  return parts.flatMap((part, index): KimiFault[] =>
    isObject(part) && part.type === "text" && part.text === ""
      ? [{ path: `${row.contentPath}/${index}`, message: "a text part is empty", row, what: "empty-part" }]
      : [],
  );
});

export interface KimiIdFault extends Fault {
  readonly row: Row;
  readonly call: ToolCall;
  /** The id as the model wrote it. */
  readonly native: string;
}

/**
 * Ids of Kimi's own that another program has cleaned for its api. The model names a call `functions.NAME:INDEX`, and falls
 * silent where its history says otherwise; the name of the call says what was cleaned away. Indices begin anew, so one id
 * may stand in many turns.
 */
export const cleanedKimiIds = perRow((row): KimiIdFault[] =>
  row.role !== "assistant"
    ? []
    : row.blocks.flatMap((call): KimiIdFault[] => {
        const native = call.kind === "call" ? nativeKimiId(call) : null;
        if (call.kind !== "call" || native === null || native === call.id) return [];
        const message = `the id ${call.id} was ${native} when the model wrote it`;
        return [{ path: `${call.path}/id`, message, row, call, native }];
      }),
);

function nativeKimiId({ id, name }: ToolCall): string | null {
  const index = /[_:-](\d+)$/.exec(id);
  const isOwn = index !== null && clean(id.slice(0, index.index)) === clean(`functions.${name}`);
  return isOwn ? `functions.${name}:${index[1]}` : null;
}

function clean(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9]/g, "_");
}

/** A named tool cannot be forced while the model thinks. */
export function forcedKimiTool(request: WireRequest): Fault[] {
  const choice = request.body.tool_choice;
  if (!isObject(choice) || choice.type !== "function" || !kimiThinks(request)) return [];
  return [{ path: "/tool_choice", message: "a specified tool_choice is incompatible with thinking" }];
}
