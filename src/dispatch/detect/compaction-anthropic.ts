/** Compaction blocks, as the documentation of the SDK's error codes describes their place. */
import { isObject, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { perRow } from "./per-row.ts";

/** Blocks with a summary; one whose content is null is a failed attempt, which the server passes over. */
const compactions = perRow((row) =>
  row.blocks.flatMap((block, index) => {
    const summary =
      block.kind === "note" && block.type === "compaction" && isObject(block.value) && block.value.content;
    return typeof summary === "string" ? [{ row, index, path: block.path }] : [];
  }),
);

/** A summary stands for everything before it: it comes first, once, and in no system row. */
export function misplacedCompactions(request: WireRequest): Fault[] {
  if (request.anchor !== null) return [];
  return compactions(request).flatMap(({ row, index, path }, nth): Fault[] => {
    if (nth > 0) return [{ path, message: "a second compaction block with content; only the newest one may be sent" }];
    const isFirst = row.index === 0 && index === 0 && row.role !== "system";
    return isFirst ? [] : [{ path, message: "a compaction block is not the first block of the conversation" }];
  });
}

/** Results that report an error and hold more than text. */
export const errorsWithMedia = perRow((row) =>
  row.blocks.flatMap((block): Fault[] => {
    if (block.kind !== "result" || !block.isError || !isObject(block.value)) return [];
    const { content } = block.value;
    const other = Array.isArray(content) ? content.findIndex((part) => isObject(part) && part.type !== "text") : -1;
    if (other === -1) return [];
    return [{ path: `${block.path}/content/${other}`, message: "a result that reports an error holds more than text" }];
  }),
);
