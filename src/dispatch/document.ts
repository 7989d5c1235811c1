/** A body with its parsed request: what is judged, and what splices are made for. */
import {
  doubledMembers,
  isSyntaxFault,
  type JsonNode,
  type JsonSyntaxFault,
  nodeAt,
  scanJson,
} from "../lib/json-spans.ts";
import type { Api } from "../wire/api.ts";
import { formatOf } from "../wire/formats.ts";
import { isObject, type JsonObject, type Row, type WireRequest } from "../wire/request.ts";

export interface RequestDocument {
  readonly kind: "document";
  readonly bytes: Uint8Array;
  readonly request: WireRequest;
}

export type ParsedBody =
  | { readonly kind: "body"; readonly value: JsonObject }
  | { readonly kind: "not-an-object" }
  | JsonSyntaxFault;

export function parseBody(bytes: Uint8Array): ParsedBody {
  try {
    // `JSON.parse` takes bytes that are no UTF-8 and puts U+FFFD in their place; the decoder here refuses them.
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return isObject(value) ? { kind: "body", value } : { kind: "not-an-object" };
  } catch {
    // Expected: outside data. The scanner says where the fault is; nesting that only it refuses is a fault too.
    const scan = scanJson(bytes);
    return isSyntaxFault(scan) ? scan : { kind: "syntax-fault", offset: 0, message: "not valid JSON" };
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A request of an api without a reader has no rows. */
export function readRequest(api: Api, body: JsonObject, known?: readonly Row[]): WireRequest {
  const format = formatOf(api);
  if (format !== undefined) return format.readRequest(body, known);
  const model = typeof body.model === "string" ? body.model : null;
  return { api, body, model, rowsPath: "", rows: [], tools: [], anchor: null };
}

/** Span tree of a body that `JSON.parse` took; null where it is nested too deep for us. */
export function spansOf(bytes: Uint8Array): JsonNode | null {
  const scan = scanJson(bytes);
  return isSyntaxFault(scan) ? null : scan;
}

/** JSON pointers of all objects with a doubled member name. */
export function doubledPaths(root: JsonNode): string[] {
  const doubled = new Set(doubledMembers(root));
  if (doubled.size === 0) return [];
  const paths: string[] = [];
  const walk = (node: JsonNode, path: string): void => {
    if (node.kind === "array") {
      node.items.forEach((item, index) => {
        walk(item, `${path}/${index}`);
      });
    }
    if (node.kind !== "object") return;
    if (doubled.has(node)) paths.push(path);
    for (const { name, value } of node.members)
      walk(value, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  };
  walk(root, "");
  return paths;
}

export { nodeAt };
