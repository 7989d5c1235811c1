/** The next answer: the script first, then what the prompt asks for in brackets, then an echo. */
import { asList, asObject, asText } from "./json-value.ts";
import type { OfferedTool, PromptView } from "./prompt-view.ts";
import type { ScriptedToolCall, ScriptedTurn } from "./script.ts";

/** An echo of the user's words stays short, so that answers do not dominate a transcript. */
const echoCharsMax = 200;
const slowEventMs = 150;
const cutAfterEvents = 4;

export function chooseTurn(script: ScriptedTurn[], prompt: PromptView): ScriptedTurn {
  return script.shift() ?? directedTurn(prompt) ?? echo(prompt);
}

/** Directives steer real agents: they survive quoting and reminders. A turn that answers a call is never directed. */
function directedTurn(prompt: PromptView): ScriptedTurn | null {
  if (prompt.resultText !== null) return null;
  const named = new Set([...prompt.userText.matchAll(/\[\[([a-z]+\d*)\]\]/g)].map((match) => match[1]!));
  if (named.has("err529")) return { error: { status: 529 } };
  if (named.has("err400")) return { error: { status: 400 } };
  const calls = named.has("two") ? 2 : named.has("tool") ? 1 : 0;
  const toolCalls = callsFor(prompt.tools, calls);
  if (named.size === 0) return null;
  return {
    ...(named.has("think") ? { thinking: "The user wants one step, so I take one." } : {}),
    ...(toolCalls.length > 0 ? { toolCalls } : echo(prompt)),
    ...(named.has("slow") ? { eventDelayMs: slowEventMs } : {}),
    ...(named.has("cut") ? { cutAfterEvents } : {}),
  };
}

function echo({ resultText, userText }: PromptView): ScriptedTurn {
  const heard = (resultText ?? userText).slice(0, echoCharsMax);
  return { text: `${resultText === null ? "You said" : "The tool said"}: ${heard}` };
}

function callsFor(tools: readonly OfferedTool[], count: number): ScriptedToolCall[] {
  const shell = tools.find((tool) => /^_?(bash|shell|exec|local_shell)$/i.test(tool.name));
  const tool = shell ?? tools[0];
  if (tool === undefined) return [];
  return Array.from({ length: count }, (_, at) => ({ name: tool.name, input: inputFor(tool, at) }));
}

/** The smallest input that the schema asks for. */
function inputFor({ schema }: OfferedTool, at: number): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const name of asList(schema.required).map(asText)) {
    input[name] = valueFor(name, asObject(asObject(schema.properties)[name]), at);
  }
  return input;
}

function valueFor(name: string, property: Readonly<Record<string, unknown>>, at: number): unknown {
  // Strict tools demand every property and let the optional ones be null.
  if (allowsNull(property)) return null;
  const choices = asList(property.enum);
  if (choices.length > 0) return choices[0];
  if (property.type === "integer" || property.type === "number") return at + 1;
  if (property.type === "boolean") return false;
  if (property.type === "array") return name === "command" ? ["echo", `step ${at + 1}`] : [];
  if (property.type === "object") return {};
  return name === "command" || name === "cmd" ? `echo step ${at + 1}` : `step ${at + 1}`;
}

function allowsNull({ type, anyOf }: Readonly<Record<string, unknown>>): boolean {
  return asList(type).includes("null") || asList(anyOf).some((one) => asObject(one).type === "null");
}
