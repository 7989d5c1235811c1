/** Small Chat Completions bodies for tests: content is invented. */

export interface ChatRow {
  readonly role: string;
  readonly content?: string | null | readonly object[];
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatRow[];
}

export function request(messages: readonly object[], more: object = {}): ChatBody {
  return { model: "gpt-4.1", tools: [tool("read")], messages, ...more } as ChatBody;
}

export function tool(name: string): object {
  return { type: "function", function: { name, parameters: { type: "object", properties: {} } } };
}

export function system(content: string): ChatRow {
  return { role: "system", content };
}

export function user(content: string | readonly object[]): ChatRow {
  return { role: "user", content };
}

export function assistant(content: string): ChatRow {
  return { role: "assistant", content };
}

export function calling(ids: readonly string[], more: object = {}): ChatRow {
  return { role: "assistant", content: null, tool_calls: ids.map(call), ...more };
}

export function call(id: string): object {
  return { id, type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } };
}

export function answer(id: string, content: string | readonly object[] = "a.txt: eleven jars"): ChatRow {
  return { role: "tool", tool_call_id: id, content };
}
