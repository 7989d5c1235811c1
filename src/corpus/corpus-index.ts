/**
 * The checked-in list of a corpus: a fixture that somebody deletes, adds or edits without saying so is a finding, and so is
 * a soft class that nobody has looked at yet.
 */
import { z } from "zod";
import { formatDocument, parseDocument } from "./fixture.ts";

export const INDEX_FILE = "index.json";

const indexSchema = z.strictObject({
  schema: z.literal(1),
  /** Soft classes that have been seen and accepted. */
  classes: z.array(z.string()),
  /** Fixture id to SHA-256 of its request. */
  fixtures: z.record(z.string(), z.string()),
  /** Why a fixture was taken out, by its id. */
  removed: z.record(z.string(), z.string()),
});

export type CorpusIndex = z.infer<typeof indexSchema>;

export const EMPTY_INDEX: CorpusIndex = { schema: 1, classes: [], fixtures: {}, removed: {} };

/** @throws HoldfastError `fixture_invalid` */
export function parseIndex(text: string, file: string): CorpusIndex {
  return parseDocument(indexSchema, text, file);
}

/** Sorted by code point, so that two people who add fixtures get one merge. */
export function formatIndex({ classes, fixtures, removed }: CorpusIndex): string {
  return formatDocument({
    schema: 1,
    classes: classes.toSorted(),
    fixtures: sorted(fixtures),
    removed: sorted(removed),
  });
}

function sorted(entries: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
