/** Parts, names, signatures and the end of a Gemini request. */

import { sealOf } from "../../wire/google-generative-ai/request.ts";
import { isObject, listOf, type Row, stringOf, type ToolCall, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { type ContentFault, callsIn } from "./pairing-google.ts";
import { perObject, perRow } from "./per-row.ts";

export interface EmptyPartFault extends Fault {
  readonly row: Row;
  /** Index of the empty part, or null where the content has no parts at all. */
  readonly index: number | null;
}

/** Contents without parts, and parts without data. An empty text that carries a signature is the model's own. */
export const emptyParts = perRow((row): EmptyPartFault[] => {
  if (row.role === "other" || row.form === "other") return [];
  if (row.blocks.length === 0) {
    return [{ path: row.contentPath, message: "a content has no parts", row, index: null }];
  }
  return row.blocks.flatMap(({ value, path }, index) =>
    isObject(value) && isEmptyPart(value) ? [{ path, message: "a part has no data", row, index }] : [],
  );
});

function isEmptyPart(part: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(part).length === 0 || (part.text === "" && sealOf(part) === null);
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

/** Names of the function declarations. */
export function badDeclarationNames(request: WireRequest): readonly Fault[] {
  return declarationNames(request.body.tools);
}

const declarationNames = perObject((tools): Fault[] =>
  listOf(tools).flatMap((tool, index) =>
    ["functionDeclarations", "function_declarations"].flatMap((member) =>
      listOf(isObject(tool) ? tool[member] : undefined).flatMap((declaration, at): Fault[] => {
        const name = isObject(declaration) ? stringOf(declaration.name) : "";
        if (NAME.test(name)) return [];
        const path = `/tools/${index}/${member}/${at}/name`;
        return [{ path, message: `the function name '${name.slice(0, 80)}' is not taken` }];
      }),
    ),
  ),
);

/** Responses that are no object: other programs say that they are refused. */
export const responsesWithoutObject = perRow((row) =>
  row.blocks.flatMap((block): Fault[] => {
    if (block.kind !== "result" || !isObject(block.value)) return [];
    const { functionResponse, function_response } = block.value;
    const answer = functionResponse ?? function_response;
    if (!isObject(answer) || isObject(answer.response)) return [];
    const member = functionResponse === undefined ? "function_response" : "functionResponse";
    return [{ path: `${block.path}/${member}/response`, message: "a function response is no object" }];
  }),
);

export interface SignatureFault extends Fault {
  readonly call: ToolCall;
}

/** In the turn that is going on, the first call of each content carries the signature of the thought behind it. */
export function unsignedCalls({ rows }: WireRequest): SignatureFault[] {
  const begins = rows.findLastIndex((row) => row.role === "user" && row.blocks.some(({ kind }) => kind !== "result"));
  return rows.slice(begins + 1).flatMap((row): SignatureFault[] => {
    const [call] = row.role === "assistant" ? callsIn(row) : [];
    if (call === undefined || !isObject(call.value) || sealOf(call.value) !== null) return [];
    const message = `the function call ${call.name} has no thought signature`;
    return [{ path: `${call.path}/thoughtSignature`, message, call }];
  });
}

/** The conversation ends with the model, and no call of it waits for a response. */
export function modelAtEnd({ rows }: WireRequest): ContentFault[] {
  const row = rows.at(-1);
  if (row?.role !== "assistant" || callsIn(row).length > 0) return [];
  return [{ path: row.path, message: "the conversation ends with a content of the model", row }];
}
