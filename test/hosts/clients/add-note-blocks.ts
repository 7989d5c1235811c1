type Row = { readonly role?: string; readonly content?: unknown };

/**
 * What an extension may do with a kind of block that nobody has heard of: it stands behind the content of every user
 * row. Runs inside the agent, so it is written out as text and uses nothing from outside.
 */
export function addNoteBlocks(payload: { readonly messages?: readonly Row[] }): object {
  const note = { type: "project_note", note: "of an extension" };
  const asBlocks = (content: unknown) => (Array.isArray(content) ? content : [{ type: "text", text: content }]);
  const messages = payload.messages?.map((row) =>
    row.role === "user" ? { ...row, content: [...asBlocks(row.content), note] } : row,
  );
  return { ...payload, messages };
}
