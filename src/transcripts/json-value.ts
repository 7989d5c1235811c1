/** Reads members of rows that may be anything: a transcript is written by a program of another version. */

export type JsonObject = Record<string, unknown>;

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A token count: whole, not negative, 0 where the row does not say. */
export function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 && value < 2 ** 31 ? Math.round(value) : 0;
}

/** Milliseconds since 1970 of an ISO time or a number, NaN where there is none. */
export function timeOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}

/** Does any string in `value` hold half a character? JSON can spell it, providers refuse it. */
export function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasLoneSurrogate);
}

/** Can the JSON `text` hold half a character? In valid UTF-8 only an escape can spell it, and escapes are rare. */
export function mayHoldLoneSurrogate(text: string): boolean {
  return text.includes("\\ud") || text.includes("\\uD");
}
