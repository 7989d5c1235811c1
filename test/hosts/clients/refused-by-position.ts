type Payload = { readonly messages?: readonly object[]; readonly input?: readonly object[] };

/**
 * What a guard that expects each row at its place refuses, though every provider takes it: a row more than was prepared,
 * ids in another spelling, no cache markers. Runs inside the agent, so it is written out as text and uses nothing from
 * outside.
 */
export function refusedByPosition(payload: Payload): object {
  const name = payload.input === undefined ? "messages" : "input";
  const type = payload.input === undefined ? "text" : "input_text";
  const notice = { role: "user", content: [{ type, text: "A reminder of the house." }] };
  const rest = JSON.parse(
    JSON.stringify(payload)
      .replaceAll(/"((?:toolu|call)_\w+)"(?!:)/g, '"$1_dup1"')
      .replaceAll(/,"cache_control":\{[^{}]*\}/g, ""),
  );
  const [first, ...others] = rest[name];
  return { ...rest, [name]: [first, notice, ...others] };
}
