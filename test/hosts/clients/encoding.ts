/** What an encoder of an agent is asked for, and what comes of it. Both hosts keep the same kinds of rows. */
import type { AgentMessage } from "../../../src/hosts/agent-api.ts";

export interface Encoding {
  readonly api: string;
  readonly provider: string;
  readonly reasons: boolean;
  readonly model: string;
  /** Whether the model takes pictures. */
  readonly sees: boolean;
  readonly messages: readonly AgentMessage[];
  /** Rows behind the reply to `messages`: the body of that second request is wanted. */
  readonly continued: readonly AgentMessage[];
}

export interface Encoded {
  /** All rows that stood in front of the encoder for the body that it made. */
  readonly messages: readonly AgentMessage[];
  readonly body: { readonly [member: string]: unknown };
}

/** The server whose own encoding is wanted: hosts write otherwise for a server that they do not know. */
export const SERVERS: Readonly<Record<string, string>> = {
  "anthropic-messages": "https://api.anthropic.com",
  "openai-completions": "https://api.openai.com/v1",
  "openai-responses": "https://api.openai.com/v1",
  "openai-codex-responses": "https://chatgpt.com/backend-api",
};

export const TOOLS = [
  {
    name: "bash",
    description: "Runs a command.",
    parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  },
];

/** A reply with one tool call, in the events of each API. */
export function replyTo(api: string): readonly { readonly type: string; readonly [member: string]: unknown }[] {
  return api === "anthropic-messages" ? ANTHROPIC_REPLY : RESPONSES_REPLY;
}

/** The same on a stream of server-sent events. */
export function streamOf(api: string): Response {
  const lines = replyTo(api).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(""), { status: 200, headers: { "content-type": "text/event-stream" } });
}

/** Ends a request whose answer nobody looks at. */
export function stop(): Response {
  const body = JSON.stringify({ error: { type: "invalid_request_error", message: "stop here" } });
  return new Response(body, { status: 400, headers: { "content-type": "application/json" } });
}

/** Only a name of an account, in the form that the host looks into. */
export function keyFor(api: string): string {
  if (api !== "openai-codex-responses") return "key";
  const claims = { "https://api.openai.com/auth": { chatgpt_account_id: "account" } };
  return `h.${Buffer.from(JSON.stringify(claims)).toString("base64")}.s`;
}

const USAGE = { input_tokens: 1, output_tokens: 1 };

const ANTHROPIC_REPLY = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-opus-5-5",
      content: [],
      stop_reason: null,
      usage: USAGE,
    },
  },
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "call_9", name: "bash", input: {} },
  },
  { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"command":"ls"}' } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: USAGE },
  { type: "message_stop" },
];

const CALL = {
  type: "function_call",
  id: "fc_9",
  call_id: "call_9",
  name: "bash",
  arguments: '{"command":"ls"}',
  status: "completed",
};
const RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [CALL],
  usage: { ...USAGE, total_tokens: 2 },
};

const RESPONSES_REPLY = [
  { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item: { ...CALL, arguments: "", status: "in_progress" } },
  { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_9", delta: CALL.arguments },
  { type: "response.function_call_arguments.done", output_index: 0, item_id: "fc_9", arguments: CALL.arguments },
  { type: "response.output_item.done", output_index: 0, item: CALL },
  { type: "response.completed", response: RESPONSE },
];
