/** Names of tools and roles that the server does not know. */
import { isObject, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";

export function badFunctionNames(request: WireRequest): Fault[] {
  const tools = Array.isArray(request.body.tools) ? request.body.tools : [];
  return tools.flatMap((tool, index) => {
    const name = isObject(tool) && isObject(tool.function) ? tool.function.name : undefined;
    if (typeof name !== "string" || /^[a-zA-Z0-9_-]{1,64}$/.test(name)) return [];
    const message = `the tool name '${name.slice(0, 80)}' does not match ^[a-zA-Z0-9_-]{1,64}$`;
    return [{ path: `/tools/${index}/function/name`, message }];
  });
}

export function developerRows(request: WireRequest): Fault[] {
  return request.rows.flatMap((row) =>
    row.value.role === "developer"
      ? [{ path: `${row.path}/role`, message: "this server knows the role system, not developer" }]
      : [],
  );
}
