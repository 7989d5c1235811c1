/** JSON pointers (RFC 6901): how every path that a person sees is written. */

export type PathStep = string | number;

export function toPointer(steps: readonly PathStep[]): string {
  let pointer = "";
  for (const step of steps) {
    pointer += `/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return pointer;
}

export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at `pointer`, or undefined where the path leaves the document. Own members only: `__proto__` is data. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const step of parsePointer(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}
