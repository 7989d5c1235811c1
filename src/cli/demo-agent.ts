/** The agent of the demo: a history on "disk", and a request made from it as coding agents make theirs. */
import type { Message } from "./demo-stage.ts";

type Row = Message | { readonly role: string; readonly content: string };

export interface Agent {
  readonly history: readonly Row[];
  say(text: string): void;
  keep(answer: Message): void;
  giveResult(text: string): void;
  /** The request body: markers at the end of the system text and of the history, as agents set them. */
  request(): object;
}

export function createAgent(): Agent {
  const history: Row[] = [];
  return {
    history,
    say: (text) => history.push({ role: "user", content: text }),
    keep: ({ role, content }) => history.push({ role, content }),
    giveResult: (text) => {
      const call = (history.at(-1) as Message).content.find((block) => block.type === "tool_use");
      history.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call?.id, content: text }] });
    },
    request: () => ({
      model: "claude-sonnet-4-5",
      max_tokens: 1024,
      system: [{ type: "text", text: SYSTEM, cache_control: EPHEMERAL }],
      tools: TOOLS,
      messages: [...history.slice(0, -1), mark(history.at(-1)!)],
    }),
  };
}

const EPHEMERAL = { type: "ephemeral" };

function mark({ role, content }: Row): Message {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return {
    role,
    content: blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, cache_control: EPHEMERAL } : block)),
  };
}

/** Long enough to be cached: providers keep no prefix below about a thousand tokens. */
const SYSTEM = Array.from(
  { length: 60 },
  (_, at) => `${at + 1}. The store room has shelf ${at + 1}; look before you count, and say what you could not see.`,
).join("\n");

const TOOLS = [
  {
    name: "count",
    description: "Count the things on one shelf.",
    input_schema: { type: "object", properties: { shelf: { type: "integer" } }, required: ["shelf"] },
  },
];
