/** The prompt of a language model call as the gate reads it: a row for each message, a block for each part. */
import { type Block, isObject, type JsonObject, type Row, stringOf } from "../../wire/request.ts";

/** What a call hands over, in the words of both versions of the SDK. */
export interface CallParams {
  readonly prompt?: unknown;
  readonly providerOptions?: unknown;
}

/** Null where the provider's package sends references to what its server has stored, in the place of words. */
export function promptRows({ prompt, providerOptions }: CallParams): readonly Row[] | null {
  if (!Array.isArray(prompt)) return null;
  const messages = prompt.filter(isObject);
  return messages.some(isStored) && !keepsNothing(providerOptions) ? null : messages.map(toRow);
}

/** OpenAI's answers carry the ids under which they are stored, unless the call says `store: false`. */
function isStored({ content }: JsonObject): boolean {
  const options = Array.isArray(content) ? content.map((part) => part?.providerOptions) : [];
  return options.some((one) => isObject(one) && Object.values(one).some((own) => isObject(own) && "itemId" in own));
}

function keepsNothing(providerOptions: unknown): boolean {
  return isObject(providerOptions) && isObject(providerOptions.openai) && providerOptions.openai.store === false;
}

const ROLES: Readonly<Record<string, Row["role"]>> = {
  system: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
};

function toRow(message: JsonObject, index: number): Row {
  const path = `/prompt/${index}`;
  const contentPath = `${path}/content`;
  const { content } = message;
  const form = typeof content === "string" ? "string" : "blocks";
  const blocks =
    typeof content === "string"
      ? [{ kind: "text", path: contentPath, value: content, text: content } as const]
      : (Array.isArray(content) ? content : []).map((part, at) => toBlock(part, `${contentPath}/${at}`));
  return { index, path, contentPath, form, value: message, role: ROLES[stringOf(message.role)] ?? "other", blocks };
}

function toBlock(value: unknown, path: string): Block {
  const part: JsonObject = isObject(value) ? value : {};
  const id = stringOf(part.toolCallId);
  switch (part.type) {
    case "text":
      return { kind: "text", path, value, text: stringOf(part.text) };
    case "file":
      return { kind: "media", path, value };
    case "reasoning":
      return { kind: "thinking", path, value, text: stringOf(part.text), seal: null };
    case "tool-call":
      if (part.providerExecuted === true) return { kind: "server-call", path, value, id };
      return { kind: "call", path, value, id, name: stringOf(part.toolName), input: part.input };
    case "tool-result":
      return { kind: "result", path, value: { content: wordsOf(part.output) }, callId: id, isError: isError(part) };
    default:
      return { kind: "opaque", path, value, type: stringOf(part.type) };
  }
}

function isError({ output }: JsonObject): boolean {
  return isObject(output) && stringOf(output.type).startsWith("error-");
}

/** What the packages of the providers write for it: texts as they are, everything else as JSON. */
function wordsOf(output: unknown): unknown {
  if (!isObject(output)) return "";
  const { type, value } = output;
  if (type === "text" || type === "error-text" || type === "content") return value;
  return JSON.stringify(value);
}
