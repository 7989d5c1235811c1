/**
 * One captured request as a folder: `request.json` (the bytes of the body), `fixture.json` (what is known of it and what the
 * gate said when it was recorded), `received.json` where its faults show only with earlier exchanges, and `prepared.json`
 * where the host's own rows are known.
 */
import { z } from "zod";
import { HoldfastError } from "../lib/error.ts";
import { toPointer } from "../lib/json-pointer.ts";
import { APIS, BACKENDS } from "../wire/api.ts";

export const REQUEST_FILE = "request.json";
export const FIXTURE_FILE = "fixture.json";
export const RECEIVED_FILE = "received.json";
export const PREPARED_FILE = "prepared.json";

const fixtureSchema = z.strictObject({
  schema: z.literal(1),
  api: z.enum(APIS),
  backend: z.enum(BACKENDS),
  model: z.string().nullable(),
  verdict: z.enum(["admit", "admit-unverified", "unsafe"]),
  outcome: z.enum(["sent", "repaired", "degraded"]),
  /** Rules with a violation, each once, sorted. */
  rules: z.array(z.string()),
  /** Soft classes, each once, sorted. */
  classes: z.array(z.string()),
  /** Results that lost text on the way from the host's rows to the body, and how much of it. */
  lost: z.strictObject({ results: z.int(), characters: z.int() }).exactOptional(),
  /** How a guard that compares rows by their position would have refused this turn; null or absent: it would not. */
  would_refuse: z.enum(["role", "content", "count"]).nullable().exactOptional(),
  /** What the provider said, where it rejected the request. */
  rejected: z.strictObject({ status: z.int(), rule: z.string().nullable() }).exactOptional(),
});

export type Fixture = z.infer<typeof fixtureSchema>;

/** @throws HoldfastError `fixture_invalid`: names the place and the expected type */
export function parseFixture(text: string, file: string): Fixture {
  return parseDocument(fixtureSchema, text, file);
}

/** @throws HoldfastError `fixture_invalid` where `text` is no JSON or not what the schema says */
export function parseDocument<T>(schema: z.ZodType<T>, text: string, file: string): T {
  const parsed = schema.safeParse(parseJson(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = toPointer((issue?.path ?? []).map((step) => (typeof step === "number" ? step : String(step))));
  throw new HoldfastError("fixture_invalid", `${file} ${path || "/"}: ${issue?.message ?? "is not valid"}`);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Expected: a file that somebody edited, or a merge conflict.
    throw new HoldfastError("fixture_invalid", `${file} is no JSON: ${(error as Error).message}`);
  }
}

/** One member a line, so that a review shows what changed and an annotation finds its line. */
export function formatFixture(fixture: Fixture): string {
  return formatDocument(fixture);
}

export function formatDocument(document: object): string {
  const lines = Object.entries(document).map(([name, value]) => `  ${JSON.stringify(name)}: ${formatMember(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** Lists and maps that grow have a line for each entry; short ones stay on theirs. */
function formatMember(value: unknown): string {
  const flat = JSON.stringify(value);
  return flat.length <= 80 ? flat : JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
}
