/** What Moonshot's own server refuses, each with a text of its own. */
import { isObject, type Row, type WireRequest } from "../../wire/request.ts";
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
  if (row.role === "assistant" && isEmpty && row.form !== "other") {
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

/** A named tool cannot be forced while the model thinks. */
export function forcedKimiTool(request: WireRequest): Fault[] {
  const choice = request.body.tool_choice;
  if (!isObject(choice) || choice.type !== "function" || !kimiThinks(request)) return [];
  return [{ path: "/tool_choice", message: "a specified tool_choice is incompatible with thinking" }];
}
