/** Small Bedrock Converse bodies for tests: content is invented. */

export type Block = Readonly<Record<string, unknown>>;

export interface Message {
  readonly role: string;
  readonly content?: readonly Block[];
}

export interface ConverseBody {
  readonly messages: readonly Message[];
}

export function request(messages: readonly object[], more: object = {}): ConverseBody {
  const toolConfig = { tools: [{ toolSpec: { name: "read", inputSchema: { json: { type: "object" } } } }] };
  return { toolConfig, messages, ...more } as ConverseBody;
}

export function user(...content: readonly (Block | string)[]): Message {
  return { role: "user", content: content.map(asBlock) };
}

export function assistant(...content: readonly (Block | string)[]): Message {
  return { role: "assistant", content: content.map(asBlock) };
}

export function call(toolUseId: string): Block {
  return { toolUse: { toolUseId, name: "read", input: { path: "a.txt" } } };
}

export function result(toolUseId: string, text = "a.txt: eleven jars", more: object = {}): Block {
  return { toolResult: { toolUseId, content: [{ text }], status: "success", ...more } };
}

export function reasoning(text: string, signature?: string): Block {
  return { reasoningContent: { reasoningText: { text, ...(signature === undefined ? {} : { signature }) } } };
}

function asBlock(block: Block | string): Block {
  return typeof block === "string" ? { text: block } : block;
}
