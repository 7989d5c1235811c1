/**
 * A frozen prefix as the provider's own members, as text. The text is canonical, so the bytes are the same in every
 * process and after every reload: the order of a stored object's keys has no part in it (PI-14).
 */
import { canonicalJson } from "../lib/canonical-json.ts";
import { HoldfastError } from "../lib/error.ts";
import type { Api } from "../wire/api.ts";
import type { ContextPlan } from "./context-plan.ts";
import type { PrefixRow } from "./prompt-row.ts";
import { type ToolSpec, toWireName } from "./tool-spec.ts";

export interface RenderedPrefix {
  /** Members of the request body that the prefix fills alone, in the provider's order. */
  readonly members: Readonly<Record<string, string>>;
  /** JSON items that begin an array which the turns continue, where the api keeps its system rows there. */
  readonly leading: { readonly name: string; readonly items: readonly string[] } | null;
}

/** @param snapshotText the memory snapshot that the plan refers to; null where it has none */
export function renderPrefix(plan: Pick<ContextPlan, "api" | "prefix">, snapshotText: string | null): RenderedPrefix {
  const texts = plan.prefix.conversation.map((row) => textOf(row, snapshotText));
  return RENDERERS[plan.api](plan.prefix.tools, texts);
}

/**
 * A whole request body.
 * @param turn the other members (model, messages, limits), as the caller wants them sent
 */
export function renderRequest(prefix: RenderedPrefix, turn: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(prefix.members).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  for (const [name, value] of Object.entries(leadWith(prefix, turn))) {
    if (Object.hasOwn(prefix.members, name)) throw new TypeError(`the plan fills the member ${name} of the request`);
    if (value !== undefined) members.push(`${JSON.stringify(name)}:${value}`);
  }
  return `{${members.join(",")}}`;
}

function leadWith(
  { leading }: RenderedPrefix,
  turn: Readonly<Record<string, unknown>>,
): Record<string, string | undefined> {
  const texts = Object.fromEntries(Object.entries(turn).map(([name, value]) => [name, JSON.stringify(value)]));
  if (leading === null) return texts;
  const items = ((turn[leading.name] as readonly unknown[] | undefined) ?? []).map((item) => JSON.stringify(item));
  return { ...texts, [leading.name]: `[${[...leading.items, ...items].join(",")}]` };
}

type Renderer = (tools: readonly ToolSpec[], texts: readonly string[]) => RenderedPrefix;

const RENDERERS: Readonly<Record<Api, Renderer>> = {
  "anthropic-messages": (tools, texts) => alone({ tools: tools.map(anthropicTool), system: texts.map(textBlock) }),
  "openai-completions": (tools, texts) => leading({ tools: tools.map(chatTool) }, "messages", texts.map(systemRow)),
  "openai-responses": renderResponses,
  "openai-codex-responses": renderResponses,
  "azure-openai-responses": renderResponses,
  "google-generative-ai": renderGoogle,
  "google-vertex": renderGoogle,
  "bedrock-converse-stream": (tools, texts) =>
    alone({
      toolConfig: tools.length > 0 ? { tools: tools.map(bedrockTool) } : undefined,
      system: texts.map((text) => ({ text })),
    }),
  "mistral-conversations": (tools, texts) => alone({ tools: tools.map(chatTool), instructions: texts.join("\n\n") }),
};

function renderResponses(tools: readonly ToolSpec[], texts: readonly string[]): RenderedPrefix {
  return leading({ tools: tools.map(responsesTool) }, "input", texts.map(systemRow));
}

function renderGoogle(tools: readonly ToolSpec[], texts: readonly string[]): RenderedPrefix {
  const functionDeclarations = tools.map(googleTool);
  return alone({
    tools: tools.length > 0 ? [{ functionDeclarations }] : [],
    systemInstruction: { parts: texts.map((text) => ({ text })) },
  });
}

/** An empty tool list is left out: several providers refuse one. */
function alone(members: Readonly<Record<string, unknown>>): RenderedPrefix {
  const kept = Object.entries(members).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return { members: Object.fromEntries(kept.map(([name, value]) => [name, canonicalJson(value)])), leading: null };
}

function leading(members: Readonly<Record<string, unknown>>, name: string, rows: readonly unknown[]): RenderedPrefix {
  return { ...alone(members), leading: { name, items: rows.map(canonicalJson) } };
}

const textBlock = (text: string) => ({ type: "text", text });
const systemRow = (text: string) => ({ role: "system", content: text });
const describe = (tool: ToolSpec) => ({ name: toWireName(tool.name), description: tool.description });
const schemaOf = (tool: ToolSpec) => tool.input_schema ?? { type: "object", properties: {} };
const chatTool = (tool: ToolSpec) => ({
  type: "function",
  function: { ...describe(tool), parameters: schemaOf(tool) },
});
const responsesTool = (tool: ToolSpec) => ({ type: "function", ...describe(tool), parameters: schemaOf(tool) });
const googleTool = (tool: ToolSpec) => ({ ...describe(tool), parametersJsonSchema: schemaOf(tool) });
const bedrockTool = (tool: ToolSpec) => ({ toolSpec: { ...describe(tool), inputSchema: { json: schemaOf(tool) } } });

function anthropicTool(tool: ToolSpec): object {
  return { ...describe(tool), input_schema: schemaOf(tool) };
}

/**
 * The message that tells an Anthropic model of the tools that were appended to a plan (RA-3), null where there are none.
 * It belongs into the history in front of the first turn of the run that brought the grant, and stays there.
 */
export function renderToolAdditions(plan: Pick<ContextPlan, "appendedTools">): object | null {
  if (plan.appendedTools.length === 0) return null;
  const content = plan.appendedTools.map((tool) => {
    return { type: "tool_addition", tool: { type: "tool_definition", definition: anthropicTool(tool) } };
  });
  return { role: "system", content };
}

function textOf(row: PrefixRow, snapshotText: string | null): string {
  return row.content
    .map((part) => {
      if (part.kind === "text") return part.text;
      if (snapshotText === null) throw snapshotErased(part.sha256);
      return snapshotText;
    })
    .join("\n\n");
}

function snapshotErased(sha256: string): HoldfastError {
  const message = `The memory snapshot ${sha256} of this plan is gone; start a new run, which builds a plan without it.`;
  return new HoldfastError("snapshot_erased", message);
}
