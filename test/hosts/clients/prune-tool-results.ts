type Row = { readonly role?: string; readonly type?: string; readonly content?: unknown };
type Payload = { readonly messages?: readonly Row[]; readonly input?: readonly Row[] };

/**
 * What extensions that save tokens get wrong: results go, their calls stay. Runs inside the agent, so it is written out
 * as text and uses nothing from outside.
 */
export function pruneToolResults(payload: Payload): Payload {
  const isResult = ({ role, type, content }: Row) =>
    role === "tool" ||
    type === "function_call_output" ||
    (Array.isArray(content) && content.some((block) => block.type === "tool_result"));
  const pruned = { ...payload };
  for (const name of ["messages", "input"] as const) {
    const rows = payload[name];
    if (rows !== undefined) Object.assign(pruned, { [name]: rows.filter((row) => !isResult(row)) });
  }
  return pruned;
}
