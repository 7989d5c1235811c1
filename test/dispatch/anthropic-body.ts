/** Small Anthropic bodies for tests: content is invented. */

export interface BodyRow {
  readonly role: string;
  readonly content: string | readonly object[];
}

export function request(messages: readonly object[], more: object = {}): { messages: readonly object[] } {
  return { model: "claude-sonnet-4-5", max_tokens: 64, tools: [tool("read")], messages, ...more } as never;
}

export function tool(name: string): object {
  return {
    name,
    description: "Reads a file.",
    input_schema: { type: "object", properties: { path: { type: "string" } } },
  };
}

export function user(content: string | readonly object[]): BodyRow {
  return { role: "user", content };
}

export function assistant(content: string | readonly object[]): BodyRow {
  return { role: "assistant", content };
}

export function text(words: string): object {
  return { type: "text", text: words };
}

export function call(id: string): object {
  return { type: "tool_use", id, name: "read", input: { path: "a.txt" } };
}

export function result(id: string, content = "a.txt: eleven jars"): object {
  return { type: "tool_result", tool_use_id: id, content };
}

export function thinking(words: string): object {
  return { type: "thinking", thinking: words, signature: `sealed-${words}` };
}

/** A PNG of which only the header is real: sizes are read from there. */
export function image(width: number, height: number): object {
  const header = Buffer.alloc(33);
  header.writeUInt32BE(0x89504e47, 0);
  header.writeUInt32BE(0x0d0a1a0a, 4);
  header.write("IHDR", 12, "latin1");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return { type: "image", source: { type: "base64", media_type: "image/png", data: header.toString("base64") } };
}
