/** Which models a rule speaks of. Names of one model differ by platform: `us.anthropic.claude-opus-4-1-2025…-v1:0`, `claude-opus-4-1@2025…`. */

export type ModelTest = (model: string | null) => boolean;

export interface ClaudeModel {
  readonly line: string;
  /** Major version times 100 plus minor: 4.5 is 405. */
  readonly version: number;
}

export function parseClaude(model: string | null): ClaudeModel | null {
  if (model === null) return null;
  const newer = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?![\d])/.exec(model);
  if (newer !== null) return { line: newer[1]!, version: Number(newer[2]) * 100 + Number(newer[3] ?? 0) };
  const older = /claude-(\d)(?:[-.](\d))?-([a-z]+)/.exec(model);
  return older === null ? null : { line: older[3]!, version: Number(older[1]) * 100 + Number(older[2] ?? 0) };
}

export interface ClaudeRange {
  /** Version times 100, inclusive. */
  readonly from?: number;
  readonly until?: number;
  readonly lines?: readonly string[];
  /** `line` and version that are left out although they lie in the range. */
  readonly except?: readonly ClaudeModel[];
}

export function claude(range: ClaudeRange): ModelTest {
  return (name) => {
    const model = parseClaude(name);
    if (model === null) return false;
    if (model.version < (range.from ?? 0) || model.version > (range.until ?? Number.POSITIVE_INFINITY)) return false;
    if (range.lines !== undefined && !range.lines.includes(model.line)) return false;
    return !range.except?.some((one) => one.line === model.line && one.version === model.version);
  };
}

/** Thinking signatures of these models bind the prefix ("preserved thinking"). */
export const boundThinking: ModelTest = (name) => {
  const model = parseClaude(name);
  if (model === null) return false;
  return model.version >= (model.line === "fable" || model.line === "mythos" ? 501 : 505);
};

export function notModels(test: ModelTest): ModelTest {
  return (name) => !test(name);
}

/** Models on Bedrock that are not Claude, by the vendor in their id; a profile of one's own names none. */
export const otherVendors: ModelTest = (name) =>
  name !== null &&
  /(^|[./])(amazon|ai21|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|writer|zai)\./.test(
    name,
  );

/** Models on Bedrock that have no prompt cache. */
export const withoutPromptCache: ModelTest = (name) =>
  name !== null &&
  ((otherVendors(name) && !/amazon\.nova/.test(name)) || /claude-(v2|instant|3-(haiku|sonnet|opus))/.test(name));

/** The version of a Gemini model: 3 for `gemini-3-pro`, 2.5 for `gemini-2.5-flash`. */
export function gemini(range: { readonly from: number }): ModelTest {
  return (name) => Number(/gemini-(\d+(?:\.\d+)?)/.exec(name ?? "")?.[1] ?? 0) >= range.from;
}
