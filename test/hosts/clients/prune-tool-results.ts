type Row = { readonly role?: string; readonly type?: string; readonly content?: unknown; readonly parts?: unknown };
type Payload = {
  readonly messages?: readonly Row[];
  readonly input?: readonly Row[];
  readonly contents?: readonly Row[];
};

/**
 * What extensions that save tokens get wrong: results go, their calls stay. Runs inside the agent, so it is written out
 * as text and uses nothing from outside.
 */
export function pruneToolResults(payload: Payload): Payload {
  const holdsResult = (blocks: unknown) =>
    Array.isArray(blocks) &&
    blocks.some((block) => block.type === "tool_result" || "toolResult" in block || "functionResponse" in block);
  const isResult = ({ role, type, content, parts }: Row) =>
    role === "tool" || type === "function_call_output" || holdsResult(content) || holdsResult(parts);
  const pruned = { ...payload };
  for (const name of ["messages", "input", "contents"] as const) {
    const rows = payload[name];
    if (rows !== undefined) Object.assign(pruned, { [name]: rows.filter((row) => !isResult(row)) });
  }
  return pruned;
}
