/** Names of tools and roles that the server does not know. */
import { isObject, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { perObject, perRow } from "./per-row.ts";

export function badFunctionNames(request: WireRequest): readonly Fault[] {
  return namesIn(request.body.tools);
}

const namesIn = perObject((tools): Fault[] => {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown, index) => {
    const name = isObject(tool) && isObject(tool.function) ? tool.function.name : undefined;
    if (typeof name !== "string" || /^[a-zA-Z0-9_-]{1,64}$/.test(name)) return [];
    const message = `the tool name '${name.slice(0, 80)}' does not match ^[a-zA-Z0-9_-]{1,64}$`;
    return [{ path: `/tools/${index}/function/name`, message }];
  });
});

export const developerRows = perRow((row): Fault[] =>
  row.value.role === "developer"
    ? [{ path: `${row.path}/role`, message: "this server knows the role system, not developer" }]
    : [],
);
