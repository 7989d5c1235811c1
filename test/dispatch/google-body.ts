/** Small Gemini bodies for tests: content is invented. */

export type Part = Readonly<Record<string, unknown>>;

export interface Content {
  readonly role: string;
  readonly parts?: readonly Part[];
}

export interface GoogleBody {
  readonly contents: readonly Content[];
}

export function request(contents: readonly object[], more: object = {}): GoogleBody {
  return { tools: [{ functionDeclarations: [{ name: "read" }] }], contents, ...more } as GoogleBody;
}

export function user(...parts: readonly (Part | string)[]): Content {
  return { role: "user", parts: parts.map(asPart) };
}

export function model(...parts: readonly (Part | string)[]): Content {
  return { role: "model", parts: parts.map(asPart) };
}

export function call(name = "read", more: object = {}): Part {
  return { functionCall: { name, args: { path: "a.txt" } }, ...more };
}

export function response(output = "a.txt: eleven jars", name = "read", more: object = {}): Part {
  return { functionResponse: { name, response: { output }, ...more } };
}

function asPart(part: Part | string): Part {
  return typeof part === "string" ? { text: part } : part;
}
