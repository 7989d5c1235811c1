/**
 * What a provider caches of a request, row by row: tools, then system text (PI-13). Cache markers are left out, a text
 * is its one-block list, and rows that a host changes on every request are skipped by a named rule.
 */
import { isSyntaxFault, type JsonNode, type JsonObjectNode, memberNamed, nodeAt, scanJson } from "../lib/json-spans.ts";
import { type Sha256, sha256Hex } from "../lib/sha256.ts";
import type { Api } from "../wire/api.ts";
import { volatileNameOfText } from "../wire/volatile-block.ts";

export interface WireRow {
  readonly segment: "tools" | "system";
  /** JSON pointer into the request body. */
  readonly path: string;
  readonly sha256: Sha256;
}

/** One digest per segment, in the provider's order. */
export interface WireDigests {
  readonly tools: Sha256;
  readonly system: Sha256;
}

/** The prefix rows of a request body; none where the body is not JSON. */
export function readWireRows(api: Api, body: Uint8Array): readonly WireRow[] {
  const root = scanJson(body);
  if (isSyntaxFault(root)) return [];
  const text = new WireText(body);
  const layout = LAYOUT[api];
  const rows: WireRow[] = [];
  for (const path of layout.tools) rows.push(...text.rows(root, "tools", path, () => true));
  for (const path of layout.system) rows.push(...text.rows(root, "system", path, (item) => !text.isVolatile(item)));
  if (layout.leading !== undefined) {
    const items = nodeAt(root, layout.leading);
    const end = items?.kind === "array" ? items.items.findIndex((item) => !text.isSystemRow(item)) : 0;
    rows.push(...text.rows(root, "system", layout.leading, () => true).slice(0, end === -1 ? undefined : end));
  }
  return rows;
}

/**
 * The values of a parsed body that its prefix rows are made of, in a fixed order: where they are the same objects as
 * those of another body, so are the rows.
 */
export function prefixValues(api: Api, body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const layout = LAYOUT[api];
  const values = [...layout.tools, ...layout.system].map((path) => valueAt(body, path));
  const items = layout.leading === undefined ? undefined : valueAt(body, layout.leading);
  if (!Array.isArray(items)) return [...values, items];
  const end = items.findIndex((item) => !SYSTEM_ROLES.has(valueAt(item, "/role") as string));
  return [...values, ...items.slice(0, end === -1 ? undefined : end)];
}

/** @param path pointer of plain names */
function valueAt(value: unknown, path: string): unknown {
  return path
    .split("/")
    .slice(1)
    .reduce((at: unknown, name) => (isMembers(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

export function digestWireRows(rows: readonly WireRow[]): WireDigests {
  const digest = (segment: WireRow["segment"]) => {
    const hashes = rows.filter((row) => row.segment === segment).map((row) => row.sha256);
    return sha256Hex(`holdfast.wire.v1\0${segment}\0${hashes.join("\0")}`);
  };
  return { tools: digest("tools"), system: digest("system") };
}

export type WireComparison =
  | { readonly kind: "equal" }
  /** The first row, in the provider's order, that is not as planned; null where the request has fewer rows. */
  | {
      readonly kind: "differs";
      readonly segment: WireRow["segment"];
      readonly path: string | null;
      readonly planned: string | null;
    };

/** Whether a request carries the planned prefix. A difference is data for a verdict, never an exception (PI-16). */
export function compareWireRows(planned: readonly WireRow[], observed: readonly WireRow[]): WireComparison {
  for (const segment of ["tools", "system"] as const) {
    const ours = planned.filter((row) => row.segment === segment);
    const theirs = observed.filter((row) => row.segment === segment);
    for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
      if (ours[i]?.sha256 === theirs[i]?.sha256) continue;
      return { kind: "differs", segment, path: theirs[i]?.path ?? null, planned: ours[i]?.path ?? null };
    }
  }
  return { kind: "equal" };
}

interface Layout {
  readonly tools: readonly string[];
  readonly system: readonly string[];
  /** An array whose first items belong to the prefix as long as their role is that of a system row. */
  readonly leading?: string;
}

const CHAT: Layout = { tools: ["/tools"], system: [], leading: "/messages" };
const RESPONSES: Layout = { tools: ["/tools"], system: ["/instructions"], leading: "/input" };
const GOOGLE: Layout = { tools: ["/tools"], system: ["/systemInstruction/parts", "/system_instruction/parts"] };

const LAYOUT: Readonly<Record<Api, Layout>> = {
  "anthropic-messages": { tools: ["/tools"], system: ["/system"] },
  "openai-completions": CHAT,
  "mistral-conversations": { tools: ["/tools"], system: ["/instructions"] },
  "openai-responses": RESPONSES,
  "openai-codex-responses": RESPONSES,
  "azure-openai-responses": RESPONSES,
  "google-generative-ai": GOOGLE,
  "google-vertex": GOOGLE,
  "bedrock-converse-stream": { tools: ["/toolConfig/tools"], system: ["/system"] },
};

const SYSTEM_ROLES = new Set(["system", "developer"]);
/** Members and blocks that only place a cache marker. */
const MARKERS = new Set(["cache_control", "cachePoint"]);

/** JSON text with every lexeme as it stands in the body, except the spellings that a provider cannot tell apart. */
class WireText {
  readonly #body: Buffer;

  constructor(body: Uint8Array) {
    this.#body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }

  rows(root: JsonNode, segment: WireRow["segment"], path: string, isKept: (item: JsonNode) => boolean): WireRow[] {
    const node = nodeAt(root, path);
    if (node === undefined) return [];
    if (node.kind === "string") return [{ segment, path, sha256: sha256Hex(this.#textBlock(node)) }];
    if (node.kind !== "array") return [];
    const rows: WireRow[] = [];
    node.items.forEach((item, index) => {
      if (isMarkerBlock(item) || !isKept(item)) return;
      rows.push({ segment, path: `${path}/${index}`, sha256: sha256Hex(this.#textOf(item)) });
    });
    return rows;
  }

  isSystemRow(item: JsonNode): boolean {
    const role = item.kind === "object" ? memberNamed(item, "role")?.value : undefined;
    return role !== undefined && role.kind === "string" && SYSTEM_ROLES.has(this.#string(role));
  }

  isVolatile(item: JsonNode): boolean {
    const text = item.kind === "object" ? memberNamed(item, "text")?.value : undefined;
    return text !== undefined && text.kind === "string" && volatileNameOfText(this.#string(text)) !== null;
  }

  #textOf(node: JsonNode): string {
    if (node.kind === "object") return this.#objectText(node);
    if (node.kind === "array") {
      return `[${node.items
        .filter((item) => !isMarkerBlock(item))
        .map((item) => this.#textOf(item))
        .join(",")}]`;
    }
    return node.kind === "string" ? JSON.stringify(this.#string(node)) : this.#lexeme(node);
  }

  #objectText(node: JsonObjectNode): string {
    const members = node.members.filter(({ name }) => !MARKERS.has(name));
    return `{${members.map(({ name, value }) => `${JSON.stringify(name)}:${this.#memberText(name, value)}`).join(",")}}`;
  }

  /** A content that is a text means the same as a list with that one block. */
  #memberText(name: string, value: JsonNode): string {
    return name === "content" && value.kind === "string" ? `[${this.#textBlock(value)}]` : this.#textOf(value);
  }

  #textBlock(node: JsonNode): string {
    return `{"type":"text","text":${JSON.stringify(this.#string(node))}}`;
  }

  #string(node: JsonNode): string {
    return JSON.parse(this.#lexeme(node)) as string;
  }

  #lexeme(node: JsonNode): string {
    return this.#body.toString("utf8", node.start, node.end);
  }
}

function isMarkerBlock(item: JsonNode): boolean {
  return item.kind === "object" && item.members.length === 1 && MARKERS.has(item.members[0]!.name);
}
