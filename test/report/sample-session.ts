/** One small agent session in the words of every API, with the pointers that its parts have there. */
import type { Api } from "../../src/wire/api.ts";

export interface SampleTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly deferred?: boolean;
}

export type SampleRow =
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "assistant"; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "result"; readonly id: string; readonly name: string; readonly text: string };

export interface SampleSession {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly SampleTool[];
  readonly rows: readonly SampleRow[];
}

/** How an API writes a session down, and where. */
export interface SampleEncoding {
  encode(session: SampleSession): Record<string, unknown>;
  /** The API carries the model in the URL. */
  readonly modelInUrl: boolean;
  toolUnit(index: number): string;
  readonly toolName: string;
  readonly toolDescription: string;
  readonly toolSchema: string;
  readonly systemText: string;
  /** Unit of the row at `index`, which counts no system row. */
  rowUnit(index: number): string;
  /** Of a user row's text below its unit. */
  readonly userText: string;
  /** Of a result's text below its unit. */
  readonly resultText: string;
  /** A setting that spoils the cache, and one that does not, with the members that make them. */
  readonly spoiling: readonly [path: string, member: Readonly<Record<string, unknown>>];
  readonly harmless: readonly [path: string, member: Readonly<Record<string, unknown>>];
}

const anthropic: SampleEncoding = {
  encode: ({ model, system, tools, rows }) => ({
    model,
    max_tokens: 1024,
    messages: rows.map((row) => {
      if (row.kind === "user" || row.kind === "assistant")
        return { role: row.kind, content: [{ type: "text", text: row.text }] };
      if (row.kind === "call") {
        return { role: "assistant", content: [{ type: "tool_use", id: row.id, name: row.name, input: row.input }] };
      }
      return { role: "user", content: [{ type: "tool_result", tool_use_id: row.id, content: row.text }] };
    }),
    system: [{ type: "text", text: system }],
    tools: tools.map(({ name, description, schema, deferred }) => ({
      name,
      description,
      input_schema: schema,
      ...(deferred && { defer_loading: true }),
    })),
  }),
  modelInUrl: false,
  toolUnit: (index) => `/tools/${index}`,
  toolName: "/name",
  toolDescription: "/description",
  toolSchema: "/input_schema",
  systemText: "/system/0/text",
  rowUnit: (index) => `/messages/${index}`,
  userText: "/content/0/text",
  resultText: "/content/0/content",
  spoiling: ["/output_config", { output_config: { effort: "high" } }],
  harmless: ["/max_tokens", { max_tokens: 2048 }],
};

const chat: SampleEncoding = {
  encode: ({ model, system, tools, rows }) => ({
    model,
    messages: [
      { role: "system", content: system },
      ...rows.map((row) => {
        if (row.kind === "user" || row.kind === "assistant") return { role: row.kind, content: row.text };
        if (row.kind === "result") return { role: "tool", tool_call_id: row.id, content: row.text };
        const call = { name: row.name, arguments: JSON.stringify(row.input) };
        return { role: "assistant", content: null, tool_calls: [{ id: row.id, type: "function", function: call }] };
      }),
    ],
    tools: tools.map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    })),
    stream: true,
  }),
  modelInUrl: false,
  toolUnit: (index) => `/tools/${index}`,
  toolName: "/function/name",
  toolDescription: "/function/description",
  toolSchema: "/function/parameters",
  systemText: "/messages/0/content",
  rowUnit: (index) => `/messages/${index + 1}`,
  userText: "/content",
  resultText: "/content",
  spoiling: ["/reasoning_effort", { reasoning_effort: "high" }],
  harmless: ["/temperature", { temperature: 0.2 }],
};

const responses: SampleEncoding = {
  encode: ({ model, system, tools, rows }) => ({
    model,
    instructions: system,
    input: rows.map((row) => {
      if (row.kind === "user") return { role: "user", content: [{ type: "input_text", text: row.text }] };
      if (row.kind === "assistant") {
        return { type: "message", role: "assistant", content: [{ type: "output_text", text: row.text }] };
      }
      if (row.kind === "result") return { type: "function_call_output", call_id: row.id, output: row.text };
      return { type: "function_call", call_id: row.id, name: row.name, arguments: JSON.stringify(row.input) };
    }),
    tools: tools.map(({ name, description, schema }) => ({ type: "function", name, description, parameters: schema })),
    store: false,
  }),
  modelInUrl: false,
  toolUnit: (index) => `/tools/${index}`,
  toolName: "/name",
  toolDescription: "/description",
  toolSchema: "/parameters",
  systemText: "/instructions",
  rowUnit: (index) => `/input/${index}`,
  userText: "/content/0/text",
  resultText: "/output",
  spoiling: ["/text", { text: { verbosity: "low" } }],
  harmless: ["/max_output_tokens", { max_output_tokens: 99 }],
};

const google: SampleEncoding = {
  encode: ({ system, tools, rows }) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: rows.map((row) => {
      if (row.kind === "user") return { role: "user", parts: [{ text: row.text }] };
      if (row.kind === "assistant") return { role: "model", parts: [{ text: row.text }] };
      if (row.kind === "call") return { role: "model", parts: [{ functionCall: { name: row.name, args: row.input } }] };
      return { role: "user", parts: [{ functionResponse: { name: row.name, response: { output: row.text } } }] };
    }),
    tools: [
      {
        functionDeclarations: tools.map(({ name, description, schema }) => ({ name, description, parameters: schema })),
      },
    ],
    generationConfig: { maxOutputTokens: 512 },
  }),
  modelInUrl: true,
  toolUnit: (index) => `/tools/0/functionDeclarations/${index}`,
  toolName: "/name",
  toolDescription: "/description",
  toolSchema: "/parameters",
  systemText: "/systemInstruction/parts/0/text",
  rowUnit: (index) => `/contents/${index}`,
  userText: "/parts/0/text",
  resultText: "/parts/0/functionResponse/response/output",
  spoiling: [
    "/generationConfig/thinkingConfig",
    { generationConfig: { maxOutputTokens: 512, thinkingConfig: { thinkingBudget: 0 } } },
  ],
  harmless: ["/generationConfig/maxOutputTokens", { generationConfig: { maxOutputTokens: 99 } }],
};

const converse: SampleEncoding = {
  encode: ({ system, tools, rows }) => ({
    messages: rows.map((row) => {
      if (row.kind === "user" || row.kind === "assistant") return { role: row.kind, content: [{ text: row.text }] };
      if (row.kind === "call") {
        return { role: "assistant", content: [{ toolUse: { toolUseId: row.id, name: row.name, input: row.input } }] };
      }
      return { role: "user", content: [{ toolResult: { toolUseId: row.id, content: [{ text: row.text }] } }] };
    }),
    system: [{ text: system }],
    inferenceConfig: { maxTokens: 512 },
    toolConfig: {
      tools: tools.map(({ name, description, schema }) => ({
        toolSpec: { name, description, inputSchema: { json: schema } },
      })),
    },
  }),
  modelInUrl: true,
  toolUnit: (index) => `/toolConfig/tools/${index}`,
  toolName: "/toolSpec/name",
  toolDescription: "/toolSpec/description",
  toolSchema: "/toolSpec/inputSchema/json",
  systemText: "/system/0/text",
  rowUnit: (index) => `/messages/${index}`,
  userText: "/content/0/text",
  resultText: "/content/0/toolResult/content/0/text",
  spoiling: [
    "/additionalModelRequestFields",
    { additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } } },
  ],
  harmless: ["/inferenceConfig/maxTokens", { inferenceConfig: { maxTokens: 99 } }],
};

export const SAMPLE_ENCODINGS: Readonly<Record<Api, SampleEncoding>> = {
  "anthropic-messages": anthropic,
  "openai-completions": chat,
  "mistral-conversations": { ...chat, spoiling: ["/prompt_mode", { prompt_mode: "reasoning" }] },
  "openai-responses": responses,
  "openai-codex-responses": responses,
  "azure-openai-responses": responses,
  "google-generative-ai": google,
  "google-vertex": google,
  "bedrock-converse-stream": converse,
};

export const SAMPLE_SESSION: SampleSession = {
  model: "sample-1",
  system: "You keep a shelf of jars.\nCount twice.\nCurrent time: 2026-03-14 09:26\nFolder: attic",
  tools: ["bash", "edit", "grep", "note_read", "read", "tide_table"].map((name, index) => ({
    name,
    description: `The tool number ${index} of the shelf.`,
    schema: {
      type: "object",
      properties: { path: { type: "string" }, cache_control: { type: "string" } },
      required: ["path"],
    },
  })),
  rows: [
    { kind: "user", text: "List the attic." },
    { kind: "assistant", text: "I look." },
    { kind: "call", id: "call_1", name: "bash", input: { command: "ls attic", timeout: 5 } },
    { kind: "result", id: "call_1", name: "bash", text: "jar.txt 12 bytes\nlid.txt 9 bytes" },
    { kind: "assistant", text: "Two files." },
    { kind: "user", text: "Read the jar list for me." },
    { kind: "call", id: "call_2", name: "read", input: { path: "jar.txt" } },
    { kind: "result", id: "call_2", name: "read", text: "nine jars on shelf 3" },
    { kind: "assistant", text: "Nine jars." },
    { kind: "user", text: "Thank you, and the lids?" },
  ],
};

/** What the assistant and the user say next. */
export const NEXT_TURN: readonly SampleRow[] = [
  { kind: "assistant", text: "Four lids." },
  { kind: "user", text: "Sort them by size." },
];
