/** What a Claude model id says about the rules that apply to it. */

export interface ClaudeModel {
  readonly id: string;
  /** The same for every date and region of one model. */
  readonly name: string;
  /** `sonnet`, `opus`, `haiku`, `fable`, `mythos`, or empty for a model that is not a Claude. */
  readonly line: string;
  /** 4.5 for `claude-sonnet-4-5-20250929`. An unknown model counts as 4.5: the generation with the fewest rules. */
  readonly version: number;
  /** Thinking signatures are bound to everything in front of them. */
  readonly bindsThinking: boolean;
  /** Smallest prefix that is cached, in tokens. */
  readonly cacheMinimumTokens: number;
}

const unknownVersion = 4.5;

export function readClaudeModel(id: string): ClaudeModel {
  const { line, version } = readName(id);
  return {
    id,
    name: line === "" ? id : `${line} ${version}`,
    line,
    version,
    bindsThinking: bindsThinking(line, version),
    cacheMinimumTokens: minimum(line, version),
  };
}

function readName(id: string): { line: string; version: number } {
  // A date or a region around the name says nothing about the rules.
  const named = /claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/.exec(id);
  if (named) return { line: named[1]!, version: Number(`${named[2]}.${named[3] ?? 0}`) };
  const old = /claude-(\d)(?:-(\d))?-(opus|sonnet|haiku)/.exec(id);
  if (old) return { line: old[3]!, version: Number(`${old[1]}.${old[2] ?? 0}`) };
  return { line: "", version: unknownVersion };
}

function bindsThinking(line: string, version: number): boolean {
  const since = line === "fable" || line === "mythos" ? 5.1 : 5.5;
  return line !== "" && version >= since;
}

function minimum(line: string, version: number): number {
  if (version >= 5) return line === "opus" || line === "fable" || line === "mythos" ? 512 : 1024;
  if (line === "opus" && version === 4.7) return 2048;
  if (line === "opus" && (version === 4.5 || version === 4.6)) return 4096;
  if (line === "haiku" && version === 4.5) return 4096;
  return 1024;
}
