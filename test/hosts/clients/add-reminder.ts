type Row = { readonly role: string; readonly content: readonly object[] };
type Payload = { readonly messages?: readonly Row[]; readonly input?: readonly Row[] };

/**
 * What hosts and extensions add for the model alone: a row that the session does not know, in every request. Runs inside
 * the agent, so it is written out as text and uses nothing from outside.
 */
export function addReminder(payload: Payload): object {
  const name = payload.input === undefined ? "messages" : "input";
  const type = payload.input === undefined ? "text" : "input_text";
  const notice = { role: "user", content: [{ type, text: "A reminder of the house." }] };
  const [first, ...others] = payload[name] ?? [];
  return { ...payload, [name]: [first, notice, ...others] };
}
