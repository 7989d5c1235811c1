import { isObject } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { perRow } from "./per-row.ts";

/** Tool results in Anthropic's format whose content is a list without elements. */
export const emptyResults = perRow((row) =>
  row.blocks.flatMap((block): Fault[] => {
    if (block.kind !== "result" || !isObject(block.value)) return [];
    const content = block.value.content;
    if (!Array.isArray(content) || content.length > 0) return [];
    return [{ path: `${block.path}/content`, message: `the result for ${block.callId} has an empty content array` }];
  }),
);
