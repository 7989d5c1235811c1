/**
 * Which tools a plan defines, which it only lists (deferred) and which do not fit. A pure choice with a total order: the
 * order in which tools were registered has no part in it.
 */
import { missingScopes } from "../authority/scope.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { compareCodePoints } from "../lib/code-point-order.ts";
import { HoldfastError } from "../lib/error.ts";
import { sortByName } from "./identity.ts";
import { parseToolSpec, type ToolSpec, toWireName } from "./tool-spec.ts";

/** Required tools are always defined, configured ones as long as they fit, discovered ones are deferred. */
export type ToolSource = "required" | "configured" | "discovered";

export interface ToolCandidate {
  readonly source: ToolSource;
  /** Higher comes first among tools of one source; 0 if not given. */
  readonly score?: number;
  /** Checked here: it may come from a server. */
  readonly spec: unknown;
}

export interface ToolCaps {
  readonly definedMax: number;
  readonly definedBytesMax: number;
  readonly deferredMax: number;
}

/** Providers take 128 tools; models choose well among far fewer. */
export const DEFAULT_CAPS: ToolCaps = { definedMax: 64, definedBytesMax: 256 * 1024, deferredMax: 200 };

export interface ToolSelection {
  /** In the order of their names. */
  readonly defined: readonly ToolSpec[];
  /** In the order of their rank, which is the order of the index. */
  readonly deferred: readonly ToolSpec[];
  /** In the order of their rank: tools that the run may use but that fit nowhere. */
  readonly skipped: readonly string[];
}

interface RankedTool {
  readonly source: ToolSource;
  readonly score: number;
  readonly tool: ToolSpec;
}

const RANK: Readonly<Record<ToolSource, number>> = { required: 0, configured: 1, discovered: 2 };

/**
 * @param scopes the run's effective scopes: a tool that needs another one is left out without a trace
 * @throws HoldfastError `tool_refused` for a specification that cannot be frozen, `tool_name_collision`,
 * `tool_caps_exceeded` where the required tools alone do not fit
 */
export function selectTools(
  candidates: readonly ToolCandidate[],
  scopes: ReadonlySet<string>,
  caps: Partial<ToolCaps> = {},
): ToolSelection {
  const { definedMax, definedBytesMax, deferredMax } = { ...DEFAULT_CAPS, ...caps };
  const ranked = rankTools(candidates).filter(({ tool }) => missingScopes(tool.required_scopes, scopes).length === 0);
  const defined: ToolSpec[] = [];
  const deferred: ToolSpec[] = [];
  const skipped: string[] = [];
  let bytes = 0;
  for (const { source, tool } of ranked) {
    const toolBytes = Buffer.byteLength(canonicalJson(tool));
    const fits = defined.length < definedMax && bytes + toolBytes <= definedBytesMax;
    if (source === "required" && !fits) throw capsExceeded(tool, definedMax, definedBytesMax);
    if (source !== "discovered" && fits) {
      defined.push(tool);
      bytes += toolBytes;
    } else if (deferred.length < deferredMax) deferred.push(tool);
    else skipped.push(tool.name);
  }
  return { defined: sortByName(defined), deferred, skipped };
}

/** Today's specifications by name, for a plan that has chosen already. @throws HoldfastError as `selectTools` */
export function specsByName(candidates: readonly ToolCandidate[]): ReadonlyMap<string, ToolSpec> {
  return new Map(rankTools(candidates).map(({ tool }) => [tool.name, tool]));
}

function rankTools(candidates: readonly ToolCandidate[]): readonly RankedTool[] {
  const ranked = candidates.map(({ source, score = 0, spec }) => ({ source, score, tool: acceptSpec(spec) }));
  ranked.sort(
    (a, b) => RANK[a.source] - RANK[b.source] || b.score - a.score || compareCodePoints(a.tool.name, b.tool.name),
  );
  checkCollisions(ranked.map(({ tool }) => tool.name));
  return ranked;
}

function acceptSpec(spec: unknown): ToolSpec {
  const parsed = parseToolSpec(spec);
  if (parsed.kind === "tool") return parsed.tool;
  throw new HoldfastError("tool_refused", `${parsed.reason}; correct it or leave the tool out`);
}

/** Two tools with one name on the wire cannot be told apart when the model calls one. */
function checkCollisions(names: readonly string[]): void {
  const byWireName = new Map<string, string>();
  for (const name of names) {
    const other = byWireName.get(toWireName(name));
    if (other !== undefined) {
      const message = `the tools ${other} and ${name} have one name for the provider, ${toWireName(name)}; rename one`;
      throw new HoldfastError("tool_name_collision", message);
    }
    byWireName.set(toWireName(name), name);
  }
}

function capsExceeded(tool: ToolSpec, definedMax: number, definedBytesMax: number): HoldfastError {
  const limits = `${definedMax} tools and ${definedBytesMax} bytes`;
  return new HoldfastError(
    "tool_caps_exceeded",
    `the required tool ${tool.name} does not fit the caps of ${limits}; raise them or require less`,
  );
}
