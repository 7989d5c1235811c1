/** Reading outside JSON without trusting it: every accessor answers with an empty value where the shape is another. */

export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asObjects(value: unknown): readonly JsonObject[] {
  return asList(value).map(asObject);
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `object` without the named member; the same object where it has none. */
export function without(object: JsonObject, name: string): JsonObject {
  if (!Object.hasOwn(object, name)) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** Every string of a document, member names included, in document order. A stack instead of recursion: depth is data. */
export function* stringsOf(root: unknown): Generator<string> {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") yield value;
    else if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i--) open.push(value[i]);
    else if (isObject(value)) {
      for (const [name, member] of Object.entries(value).reverse()) open.push(member, name);
    }
  }
}
