/** Members beside the input. */
import { isObject, stringOf, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { perRow } from "./per-row.ts";

/** Two histories that the server holds: which one is meant is not in the body. */
export function twoAnchors({ body }: WireRequest): Fault[] {
  const conversation = isObject(body.conversation) ? body.conversation.id : body.conversation;
  if (typeof body.previous_response_id !== "string" || typeof conversation !== "string") return [];
  return [{ path: "/conversation", message: "conversation and previous_response_id exclude each other" }];
}

/** A developer row in front stands for them: Codex and Pi send no others. What the server holds has them already. */
export function missingInstructions({ body, rows, anchor }: WireRequest): Fault[] {
  if (stringOf(body.instructions).trim() !== "" || anchor !== null || rows[0]?.value.role === "developer") return [];
  return [{ path: "/instructions", message: "instructions are empty or missing" }];
}

export function storeSwitchedOn({ body }: WireRequest): Fault[] {
  return body.store === false ? [] : [{ path: "/store", message: "store is not set to false" }];
}

const UNSUPPORTED = ["temperature", "top_p", "max_output_tokens"];

export function unsupportedOptions({ body }: WireRequest): Fault[] {
  return UNSUPPORTED.flatMap((name) =>
    (body[name] ?? null) === null ? [] : [{ path: `/${name}`, message: `the option ${name} is not supported` }],
  );
}

export const systemItems = perRow((row): Fault[] =>
  row.value.role === "system" ? [{ path: `${row.path}/role`, message: "system messages are not allowed" }] : [],
);

/** A socket keeps the response before; its messages have a type. */
export function previousResponse({ body }: WireRequest): Fault[] {
  if (typeof body.previous_response_id !== "string" || body.type === "response.create") return [];
  return [{ path: "/previous_response_id", message: "a resumed stream does not know the response before" }];
}
