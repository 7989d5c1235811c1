/**
 * A body without anything that is somebody's, of which every rule and every comparison says the same as of the original.
 * What is kept is on a list (`vocabulary.ts`); what is on no list becomes filler. The bytes outside strings, names and
 * free numbers are copied, so white space, order and spelling stay.
 */
import { isSyntaxFault, type JsonNode, type JsonObjectNode, memberNamed, scanJson } from "../lib/json-spans.ts";
import { type Splice, splice } from "../lib/splice.ts";
import type { Filler } from "./filler.ts";
import { redactDataUrl, redactMedia } from "./redact-media.ts";
import { respell } from "./respell.ts";
import { ENUMERATING, ID_PREFIX } from "./vocabulary.ts";

/**
 * @param filler the same one for bodies that are compared with each other
 * @returns null where the bytes are no JSON
 */
export function redactBody(bytes: Uint8Array, filler: Filler): Uint8Array | null {
  return redactJson(bytes, filler, "protocol");
}

/**
 * What a part of a body is: structure of the protocol, a JSON Schema, the names that a schema lists, or free data (tool
 * arguments, metadata), of which nothing is known.
 */
type Zone = "protocol" | "schema" | "schema-names" | "free";

interface Place {
  readonly zone: Zone;
  /** The member that holds the value; the list's for an element of a list; "" for the body. */
  readonly name: string;
  /** The member that holds the object of that member. */
  readonly ownerName: string;
  readonly ownerType: string;
}

function redactJson(bytes: Uint8Array, filler: Filler, zone: Zone): Uint8Array | null {
  const root = scanJson(bytes);
  if (isSyntaxFault(root)) return null;
  const redaction = new Redaction(bytes, filler);
  redaction.visit(root, { zone, name: "", ownerName: "", ownerType: "" });
  return splice(bytes, redaction.splices);
}

class Redaction {
  readonly splices: Splice[] = [];
  readonly #text: Buffer;
  readonly #filler: Filler;

  constructor(bytes: Uint8Array, filler: Filler) {
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#filler = filler;
  }

  /** Depth is bounded by the scanner. */
  visit(node: JsonNode, place: Place): void {
    switch (node.kind) {
      case "object":
        this.#visitObject(node, place);
        break;
      case "array":
        for (const item of node.items) this.visit(item, place);
        break;
      case "string":
        this.#replaceString(node.start, node.end, (text) => this.#string(text, place));
        break;
      case "number":
        if (!this.#keepsNumber(place)) this.#replace(node.start, node.end, (lexeme) => this.#filler.number(lexeme));
        break;
      case "literal":
        break;
    }
  }

  #visitObject(node: JsonObjectNode, place: Place): void {
    const ownerType = this.#typeOf(node);
    for (const { name, start, value } of node.members) {
      this.#replaceString(start, this.#endOfName(start), (text) => this.#name(text, place.zone));
      const inner: Place = { zone: place.zone, name, ownerName: place.name, ownerType };
      this.visit(value, { ...inner, zone: zoneOf(inner) });
    }
  }

  #typeOf(node: JsonObjectNode): string {
    const type = memberNamed(node, "type")?.value;
    if (type?.kind !== "string") return "";
    return JSON.parse(this.#text.toString("utf8", type.start, type.end)) as string;
  }

  #name(text: string, zone: Zone): string {
    return zone === "protocol" || zone === "schema" ? this.#filler.name(text) : this.#filler.text(text);
  }

  #string(text: string, { zone, name }: Place): string {
    if (zone === "free") return this.#filler.text(text);
    if (zone === "schema") {
      return name === "type" || name === "format" ? this.#filler.name(text) : this.#filler.text(text);
    }
    if (ENUMERATING.has(name)) return this.#filler.name(text);
    if (name === "model") return this.#filler.model(text);
    if (name === "arguments") return this.#jsonText(text);
    if (name === "data" || name === "bytes") return redactMedia(text, this.#filler);
    if (isIdName(name)) return this.#id(text);
    return redactDataUrl(text, this.#filler) ?? this.#filler.text(text);
  }

  /** Arguments that are JSON stay JSON, and those that are not stay broken. */
  #jsonText(text: string): string {
    const redacted = redactJson(Buffer.from(text), this.#filler, "free");
    return redacted === null || !text.isWellFormed() ? this.#filler.text(text) : Buffer.from(redacted).toString();
  }

  #id(text: string): string {
    const prefix = ID_PREFIX.exec(text)?.[0] ?? "";
    return `${prefix}${this.#filler.text(text.slice(prefix.length))}`;
  }

  #keepsNumber({ zone, name }: Place): boolean {
    return zone !== "free" && this.#filler.name(name) === name;
  }

  /** Offset behind the quote that closes the name opening at `start`. */
  #endOfName(start: number): number {
    let at = start + 1;
    while (this.#text[at] !== QUOTE) at += this.#text[at] === BACKSLASH ? 2 : 1;
    return at + 1;
  }

  #replaceString(start: number, end: number, fill: (text: string) => string): void {
    this.#replace(start, end, (lexeme) => {
      const text = JSON.parse(lexeme) as string;
      const filled = fill(text);
      // Inside a JSON text its own escapes may have moved the units: it is spelled anew.
      return filled.length === text.length ? respell(lexeme, filled) : JSON.stringify(filled);
    });
  }

  #replace(start: number, end: number, change: (lexeme: string) => string): void {
    const lexeme = this.#text.toString("utf8", start, end);
    const changed = change(lexeme);
    if (changed !== lexeme) this.splices.push({ start, end, bytes: Buffer.from(changed) });
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function zoneOf({ zone, name, ownerName, ownerType }: Place): Zone {
  switch (zone) {
    case "free":
      return "free";
    case "schema-names":
      return "schema";
    case "schema":
      if (SCHEMA_NAMES.has(name)) return "schema-names";
      return SCHEMA_VALUES.has(name) ? "free" : "schema";
    case "protocol":
      if (SCHEMAS.has(name)) return "schema";
      return FREE.has(name) || isToolInput(name, ownerName, ownerType) ? "free" : "protocol";
  }
}

/** Schema keywords whose members have names of the schema's author. */
const SCHEMA_NAMES = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const SCHEMA_VALUES = new Set(["enum", "const", "default", "examples", "example"]);
const SCHEMAS = new Set([
  "input_schema",
  "inputSchema",
  "output_schema",
  "parameters",
  "parametersJsonSchema",
  "parameters_json_schema",
  "response_schema",
  "responseSchema",
  "responseJsonSchema",
  "schema",
]);
const FREE = new Set([
  "args",
  "metadata",
  "requestMetadata",
  "client_metadata",
  "labels",
  "json",
  "logit_bias",
  "promptVariables",
]);

/** `input` is the history of one API and the arguments of a call in others; `response` is a tool's answer in one. */
function isToolInput(name: string, ownerName: string, ownerType: string): boolean {
  if (name === "input") return ownerName === "toolUse" || /tool_use$|_call$/.test(ownerType);
  return name === "response" && /^function_?response$/i.test(ownerName);
}

function isIdName(name: string): boolean {
  return name === "id" || name.endsWith("_id") || name.endsWith("Id");
}
