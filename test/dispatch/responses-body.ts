/** Small Responses bodies for tests: content is invented. */

export interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly [name: string]: unknown;
}

export interface ResponsesBody {
  readonly model: string;
  readonly input: readonly Item[];
}

export function request(input: readonly object[], more: object = {}): ResponsesBody {
  const tools = [{ type: "function", name: "read", parameters: { type: "object", properties: {} } }];
  return { model: "gpt-5.5", instructions: "be brief", input, tools, store: false, ...more } as ResponsesBody;
}

export function user(text: string): Item {
  return { role: "user", content: [{ type: "input_text", text }] };
}

export function developer(content: string): Item {
  return { role: "developer", content };
}

export function said(text: string, more: object = {}): Item {
  return { type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }], ...more };
}

export function call(callId: string, more: object = {}): Item {
  return { type: "function_call", call_id: callId, name: "read", arguments: '{"path":"a.txt"}', ...more };
}

export function output(callId: string, words: string | readonly object[] = "a.txt: eleven jars"): Item {
  return { type: "function_call_output", call_id: callId, output: words };
}

export function reasoning(id: string | null, more: object = {}): Item {
  const seal = { summary: [], encrypted_content: `sealed-${id}` };
  return { type: "reasoning", ...(id === null ? {} : { id }), ...seal, ...more };
}
