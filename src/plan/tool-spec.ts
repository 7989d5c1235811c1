/** A tool as a plan freezes it. The member names are those of its JSON form, which is what every hash is taken over. */
import { ScopeSet } from "../authority/scope.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { isHoldfastError } from "../lib/error.ts";

export interface ToolSpec {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly output_schema?: Readonly<Record<string, unknown>>;
  readonly timeout_ms?: number;
  /** The only set that reaches a hash (PI-6). */
  readonly required_scopes: ReadonlySet<string>;
}

export type ParsedTool =
  | { readonly kind: "tool"; readonly tool: ToolSpec }
  /** `reason` is for a person and names the tool and the place. */
  | { readonly kind: "refused"; readonly reason: string };

/** What every provider takes once `toWireName` has been applied. */
const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/;
/** A larger specification would cost more of the context than any tool is worth. */
const SPEC_BYTES_MAX = 64 * 1024;
/** Real schemas stay below 20; providers refuse deep ones. */
const SPEC_DEPTH_MAX = 64;
/** A longer text is not a version, and it is compared on every start. */
const VERSION_CHARS_MAX = 200;

/** A specification from a server or a file: JSON with `required_scopes` as an array, or a `ToolSpec` made in code. */
export function parseToolSpec(value: unknown): ParsedTool {
  if (!isRecord(value)) return refuse("a tool", "", "is not an object");
  const { name, version } = value;
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    return refuse("a tool", "/name", "is not 1 to 64 of the characters A-Z a-z 0-9 _ . - beginning with a letter or _");
  }
  const tool = `the tool ${name}`;
  if (typeof version !== "string" || version === "" || version.length > VERSION_CHARS_MAX) {
    return refuse(tool, "/version", `is not a text of 1 to ${VERSION_CHARS_MAX} characters`);
  }
  if (value.description !== undefined && typeof value.description !== "string")
    return refuse(tool, "/description", "is not a text");
  for (const member of ["input_schema", "output_schema"]) {
    if (value[member] !== undefined && !isRecord(value[member])) return refuse(tool, `/${member}`, "is not an object");
  }
  const undeclared = findCollection({ ...value, required_scopes: null }, "");
  if (undeclared !== null) return refuse(tool, undeclared, "is a Set or Map; only required_scopes may be one");
  const scopes = value.required_scopes ?? [];
  if (!isScopeList(scopes)) return refuse(tool, "/required_scopes", "is not a list of texts");
  try {
    const spec = { ...value, required_scopes: new ScopeSet(scopes) } as unknown as ToolSpec;
    const bytes = Buffer.byteLength(canonicalJson(spec));
    if (bytes > SPEC_BYTES_MAX) return refuse(tool, "", `has ${bytes} bytes (limit ${SPEC_BYTES_MAX})`);
    if (depthOf(value) > SPEC_DEPTH_MAX) return refuse(tool, "", `is nested deeper than ${SPEC_DEPTH_MAX} levels`);
    return { kind: "tool", tool: spec };
  } catch (error) {
    // Expected: a doubled scope, or a value without canonical form.
    if (isHoldfastError(error)) return refuse(tool, "", `can't be frozen: ${error.message}`);
    throw error;
  }
}

/** The name that every provider's pattern takes: dots are the one character of ours that some refuse. */
export function toWireName(name: string): string {
  return name.replaceAll(".", "_");
}

function refuse(what: string, path: string, problem: string): ParsedTool {
  return { kind: "refused", reason: `${what}: ${path === "" ? "it" : path} ${problem}` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScopeList(value: unknown): value is Iterable<string> {
  if (!Array.isArray(value) && !(value instanceof Set)) return false;
  return [...value].every((scope) => typeof scope === "string" && scope !== "");
}

/** The path of the first Set or Map; its order must never reach a hash unnoticed (PI-6). */
function findCollection(value: unknown, path: string, depth = 0): string | null {
  if (value instanceof Set || value instanceof Map) return path;
  if (typeof value !== "object" || value === null || depth > SPEC_DEPTH_MAX) return null;
  for (const [name, member] of Object.entries(value)) {
    const found = findCollection(member, `${path}/${name}`, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Only for values that have a canonical form: they are bounded and hold no circle. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
