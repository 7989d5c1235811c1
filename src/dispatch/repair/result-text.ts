/** What is left of a tool result that cannot stay one: its words in a fixed frame, its pictures as they are. */
import { isObject, stringOf } from "../../wire/request.ts";
import { lift } from "../../wire/request-edit.ts";

/** @param textType the type of a text part in this api's user rows */
export function asTextParts(
  content: unknown,
  contentPath: string,
  frame: (words: string) => string,
  textType = "text",
): unknown {
  if (!Array.isArray(content)) return textOrParts(frame(stringOf(content)), [], textType);
  const words = content.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []));
  const others = content.flatMap((part, index) =>
    isObject(part) && typeof part.text !== "string" ? [lift(`${contentPath}/${index}`)] : [],
  );
  return textOrParts(frame(words.filter((text) => text !== "").join("\n")), others, textType);
}

function textOrParts(text: string, others: readonly unknown[], textType: string): unknown {
  return others.length === 0 ? text : [{ type: textType, text }, ...others];
}
