/** The two ways in which a corpus changes on purpose: what is new or judged otherwise is recorded, and a fixture is taken out. */
import type { CorpusFolder } from "./corpus-folder.ts";
import { listChanges } from "./judged-fixture.ts";
import type { CorpusReplay } from "./replay.ts";

export interface CorpusUpdate {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly classes: readonly string[];
}

/** A fixture that the index lists and that is gone stays a finding: deleting a file is no reason. */
export function updateCorpus(folder: CorpusFolder, { index, fixtures }: CorpusReplay): CorpusUpdate {
  const listed = (id: string): string | undefined =>
    Object.hasOwn(index.fixtures, id) ? index.fixtures[id] : undefined;
  const added = fixtures.filter(({ id }) => listed(id) === undefined);
  const changed = fixtures.filter(({ id, recorded, now, requestSha256 }) => {
    const isNew = listed(id) === undefined;
    return !isNew && (listed(id) !== requestSha256 || recorded === null || listChanges(recorded, now).length > 0);
  });
  for (const { id, now } of [...added, ...changed]) folder.writeFixture(id, now);
  const seen = [...new Set(fixtures.flatMap(({ classes }) => classes))];
  const classes = seen.filter((name) => !index.classes.includes(name));
  const ids = added.map(({ id }) => id);
  folder.writeIndex({
    schema: 1,
    classes: [...index.classes, ...classes],
    fixtures: {
      ...index.fixtures,
      ...Object.fromEntries(fixtures.map(({ id, requestSha256 }) => [id, requestSha256])),
    },
    removed: Object.fromEntries(Object.entries(index.removed).filter(([id]) => !ids.includes(id))),
  });
  return { added: ids, changed: changed.map(({ id }) => id), classes };
}

/** @returns false where the corpus has no such fixture */
export function removeFixture(folder: CorpusFolder, id: string, why: string): boolean {
  const index = folder.readIndex();
  if (!Object.hasOwn(index.fixtures, id)) return false;
  const { [id]: _, ...fixtures } = index.fixtures;
  folder.deleteFixture(id);
  folder.writeIndex({ ...index, fixtures, removed: { ...index.removed, [id]: why } });
  return true;
}
