/**
 * A coding session as an Anthropic client sends it, turn after turn: 30 tools, a long system prompt, two calls and two
 * results a turn, texts cut from real source code, and a cache marker that moves on to the last message every time.
 */
import { globSync, readFileSync } from "node:fs";

export interface Session {
  /** The body with that many messages. */
  body(messages: number): Buffer;
  /** Bytes of the messages that a body has new against the one with `before` messages, the one that lost its marker included. */
  tailBytes(messages: number, before: number): number;
}

export interface SessionShape {
  readonly messagesMax: number;
  /** Mean length of a tool result. */
  readonly resultBytes: number;
  /** Stands in one of ten results: a single such character makes a whole text two bytes a character. */
  readonly mark?: string;
  /** Every assistant message begins with signed thinking. */
  readonly thinking?: boolean;
  /** Default `anthropic-messages`; the others have no markers. */
  readonly api?: keyof typeof FORMATS;
}

/** As measured in real sessions: 51, 201 and 1001 messages are 0.2, 1 and 5 MB. */
export const SIZES = [
  { name: "0.2 MB", messages: 51, resultBytes: 2_300 },
  { name: "1 MB", messages: 201, resultBytes: 4_000 },
  { name: "5 MB", messages: 1001, resultBytes: 4_200 },
] as const;

type Block = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: string;
  readonly content: readonly Block[];
}

export function makeSession(shape: SessionShape): Session {
  const { messagesMax, resultBytes, mark = "", thinking = false, api = "anthropic-messages" } = shape;
  const { rowsName, rowsOf, toolOf } = FORMATS[api];
  const text = createTexts();
  const messages = Array.from({ length: messagesMax }, (_, n): Message => {
    if (n === 0) return { role: "user", content: [{ type: "text", text: text(400) }] };
    if (n % 2 === 1) return { role: "assistant", content: reply(n, text, thinking) };
    const results = [n - 1.5, n - 1].map((call, nth): Block => {
      const content = text(resultBytes) + (n % 10 === 2 && nth === 0 ? mark : "");
      return { type: "tool_result", tool_use_id: `toolu_${call * 2}`, content };
    });
    return { role: "user", content: results };
  });
  const plain = messages.map((message) => written(rowsOf(message)));
  const marked = messages.map(({ role, content }) => {
    const last = { ...content.at(-1), cache_control: { type: "ephemeral" } };
    return written(rowsOf({ role, content: [...content.slice(0, -1), last] }));
  });
  const behind = `],${JSON.stringify({ system: systemOf(text), tools: toolsOf(text).map(toolOf), stream: true }).slice(1)}`;
  return {
    body: (count) =>
      Buffer.from(
        `{"model":"claude-sonnet-4-5","max_tokens":32000,"${rowsName}":[${[...plain.slice(0, count - 1), marked[count - 1]].join(",")}${behind}`,
      ),
    tailBytes: (count, before) => Buffer.byteLength(marked.slice(before - 1, count).join(",")),
  };
}

function written(rows: readonly object[]): string {
  return rows.map((row) => JSON.stringify(row)).join(",");
}

/** The same conversation as each API has it. */
const FORMATS = {
  "anthropic-messages": {
    rowsName: "messages",
    rowsOf: (message: Message) => [message],
    toolOf: (tool: Block) => tool,
  },
  "openai-completions": {
    rowsName: "messages",
    rowsOf: ({ role, content }: Message) => {
      const results = content.filter(({ type }) => type === "tool_result");
      if (results.length > 0) {
        return results.map(({ tool_use_id, content }) => ({ role: "tool", tool_call_id: tool_use_id, content }));
      }
      const words = content.filter(({ type }) => type === "text").map(({ text }) => ({ type: "text", text }));
      const calls = content.filter(({ type }) => type === "tool_use");
      const tool_calls = calls.map(({ id, name, input }) => {
        return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
      });
      return [calls.length === 0 ? { role, content: words } : { role, content: words, tool_calls }];
    },
    toolOf: ({ name, description, input_schema: parameters }: Block) => {
      return { type: "function", function: { name, description, parameters } };
    },
  },
  "openai-responses": {
    rowsName: "input",
    rowsOf: ({ role, content }: Message) =>
      content.map(({ type, text, id, name, input, tool_use_id, content }) => {
        if (type === "tool_use") {
          return { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(input) };
        }
        if (type === "tool_result") return { type: "function_call_output", call_id: tool_use_id, output: content };
        const part = role === "user" ? "input_text" : "output_text";
        return { type: "message", role, content: [{ type: part, text }] };
      }),
    toolOf: ({ name, description, input_schema: parameters }: Block) => {
      return { type: "function", name, description, parameters };
    },
  },
};

function reply(n: number, text: (bytes: number) => string, thinking: boolean): Block[] {
  const signature = Buffer.from(text(300)).toString("base64");
  return [
    ...(thinking ? [{ type: "thinking", thinking: text(500), signature }] : []),
    { type: "text", text: text(150) },
    ...[n - 0.5, n].map((call) => ({
      type: "tool_use",
      id: `toolu_${call * 2}`,
      name: "read",
      input: { path: `src/part-${n}/file-${call}.ts`, note: text(80) },
    })),
  ];
}

function systemOf(text: (bytes: number) => string): readonly Block[] {
  return [{ type: "text", text: text(15_000), cache_control: { type: "ephemeral" } }];
}

function toolsOf(text: (bytes: number) => string): readonly Block[] {
  return Array.from({ length: 30 }, (_, n) => ({
    name: `tool_${n}`,
    description: text(500),
    input_schema: {
      type: "object",
      properties: { path: { type: "string", description: text(150) }, limit: { type: "integer", minimum: 1 } },
      required: ["path"],
    },
  }));
}

/** Gives pieces of this repository's own source, of about the length that is asked for, the same ones every time. */
function createTexts(): (bytes: number) => string {
  const source = sourceText();
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  return (bytes) => {
    const length = Math.ceil(bytes * (0.5 + random()));
    const start = Math.floor(random() * (source.length - length));
    return source.slice(start, start + length);
  };
}

function sourceText(): string {
  const folder = new URL("../src/", import.meta.url);
  const files = globSync("**/*.ts", { cwd: folder }).sort((a, b) => (a < b ? -1 : 1));
  const text = files.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
  // Some of the rules name tokens that no request may hold.
  return text.replace(/[^ -~\n]|<\|/g, "?");
}
