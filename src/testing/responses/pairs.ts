/** Calls and outputs as sets: OpenAI does not mind what stands between the two. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { InputItem, ResponsesRequest } from "./responses-request.ts";

/** Output type of every call that the client runs. */
const outputOfCall: Readonly<Record<string, string>> = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
  local_shell_call: "local_shell_call_output",
  shell_call: "shell_call_output",
  apply_patch_call: "apply_patch_call_output",
  computer_call: "computer_call_output",
};
const outputTypes = new Set(Object.values(outputOfCall));

export function* pairFindings({ items, unknownHistory }: ResponsesRequest): Generator<Rejection> {
  const outputs = items.filter((one) => outputTypes.has(one.type));
  const calls = items.filter((one) => outputOfCall[one.type] !== undefined);
  const answered = new Set(outputs.map(idOf));
  const called = new Set(calls.map(idOf));
  for (const call of calls) {
    if (!answered.has(idOf(call))) {
      yield {
        rule: "R-PAIR-1",
        message: `No tool output found for ${nameOf(call.type)} ${idOf(call)}.`,
        param: "input",
      };
    }
  }
  const unanswered = countById(calls);
  for (const output of outputs) {
    const id = idOf(output);
    if (!called.has(id) && !unknownHistory) {
      const message = `No tool call found for ${nameOf(output.type)} with call_id ${id}.`;
      yield { rule: "R-PAIR-2", message, param: "input" };
    }
    // A call of the history that is not sent along takes one output; calls that share an id take one each.
    const left = unanswered.get(id) ?? 1;
    if (left === 0)
      yield { rule: "R-DUPOUT-3", message: `Duplicate function_call_output for call_id ${id}.`, param: "input" };
    unanswered.set(id, Math.max(0, left - 1));
  }
}

function countById(items: readonly InputItem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(idOf(item), (counts.get(idOf(item)) ?? 0) + 1);
  return counts;
}

function idOf({ item }: InputItem): string {
  return asText(item.call_id);
}

/** `function_call` is written `function call`. */
function nameOf(type: string): string {
  return type.replaceAll("_", " ");
}
