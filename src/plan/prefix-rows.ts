/** The rows of a prefix in the order of PI-11. An empty class adds nothing. */
import { compareCodePoints, sortByCodePoint } from "../lib/code-point-order.ts";
import type { Skill } from "./agent-definition.ts";
import type { PrefixRow, PrefixRowKind, RowContent, Trust } from "./prompt-row.ts";
import type { ToolSpec } from "./tool-spec.ts";

export interface PrefixTexts {
  readonly framing: string;
  readonly instructions: string;
  readonly persona: string;
  readonly deferredTools: readonly ToolSpec[];
  /** A row of an earlier plan is kept as it is; from today's skills `skillRow` makes a new one. */
  readonly skillCatalogue: PrefixRow | null;
  readonly memory: PrefixRow | null;
}

export function buildPrefixRows(texts: PrefixTexts): readonly PrefixRow[] {
  return [
    textRow("system", "platform", texts.framing),
    textRow("instructions", "agent", texts.instructions),
    textRow("persona", "user", texts.persona),
    textRow("tool_index", "platform", texts.deferredTools.map(indexLine).join("\n")),
    texts.skillCatalogue,
    texts.memory,
  ].filter((row) => row !== null);
}

export function skillRow(skills: readonly Skill[]): PrefixRow | null {
  const sorted = [...skills].sort((a, b) => compareCodePoints(a.name, b.name));
  return textRow(
    "skill_catalogue",
    "platform",
    sorted.map((skill) => `- ${skill.name}: ${skill.description}`).join("\n"),
  );
}

export function memoryRow(snapshotSha256: string | null): PrefixRow | null {
  return snapshotSha256 === null ? null : row("memory", "memory", { kind: "snapshot", sha256: snapshotSha256 });
}

export function findRow(rows: readonly PrefixRow[], kind: PrefixRowKind): PrefixRow | null {
  return rows.find((candidate) => candidate.kind === kind) ?? null;
}

export function snapshotOf(rows: readonly PrefixRow[]): string | null {
  const content = findRow(rows, "memory")?.content[0];
  return content?.kind === "snapshot" ? content.sha256 : null;
}

function textRow(kind: PrefixRowKind, trust: Trust, text: string): PrefixRow | null {
  return text === "" ? null : row(kind, trust, { kind: "text", text });
}

function row(kind: PrefixRowKind, trust: Trust, content: RowContent): PrefixRow {
  return { kind, trust, content: [content] };
}

/** How the model learns of a deferred tool: name, arguments (required ones as declared, then the others sorted), what for. */
function indexLine(tool: ToolSpec): string {
  const [about = ""] = (tool.description ?? "").split("\n");
  return `- ${tool.name}(${argumentNames(tool).join(", ")})${about === "" ? "" : `: ${about}`}`;
}

function argumentNames({ input_schema: schema }: ToolSpec): readonly string[] {
  const required = Array.isArray(schema?.required) ? schema.required.filter((name) => typeof name === "string") : [];
  const properties = schema?.properties;
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return [...required, ...sortByCodePoint(names.filter((name) => !required.includes(name))).map((name) => `${name}?`)];
}
