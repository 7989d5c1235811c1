/** Judges every fixture of a corpus anew and says what is no longer as it was recorded (DG-72). */
import { isHoldfastError } from "../lib/error.ts";
import { toPointer } from "../lib/json-pointer.ts";
import { isSyntaxFault, lineAndColumn, nodeAt, scanJson } from "../lib/json-spans.ts";
import type { Finding } from "../report/finding.ts";
import type { CorpusFolder, StoredFixture } from "./corpus-folder.ts";
import { type CorpusIndex, INDEX_FILE } from "./corpus-index.ts";
import { FIXTURE_FILE, type Fixture, REQUEST_FILE } from "./fixture.ts";
import { type JudgedFixture, judgeFixture, listChanges, type Recorded } from "./judged-fixture.ts";
import { toRows } from "./prepared-rows.ts";

export interface ReplayedFixture extends Recorded {
  readonly id: string;
  readonly requestSha256: string;
  /** What was recorded; null for a request that nobody has recorded yet. */
  readonly recorded: Fixture | null;
  /** What would be recorded now. */
  readonly now: Fixture;
}

export interface CorpusReplay {
  readonly index: CorpusIndex;
  readonly fixtures: readonly ReplayedFixture[];
  readonly findings: readonly Finding[];
  /** Fixtures that can't be read or judged, in a sentence each. */
  readonly unusable: readonly string[];
}

/**
 * @param onProgress is told before each fixture how many are done, of how many
 * @throws HoldfastError where the folder or its index cannot be read
 */
export function replayCorpus(
  folder: CorpusFolder,
  onProgress: (done: number, total: number) => void = () => {},
): CorpusReplay {
  const index = folder.readIndex();
  const ids = folder.listIds();
  const replayed = ids.map((id, done) => {
    onProgress(done, ids.length);
    return replayFixture(folder, id, index);
  });
  return {
    index,
    fixtures: replayed.flatMap(({ fixture }) => (fixture === null ? [] : [fixture])),
    findings: [...findMissing(folder, index, ids), ...replayed.flatMap(({ findings }) => findings)],
    unusable: replayed.flatMap(({ unusable }) => (unusable === null ? [] : [unusable])),
  };
}

interface Replayed {
  readonly fixture: ReplayedFixture | null;
  readonly findings: readonly Finding[];
  readonly unusable: string | null;
}

function replayFixture(folder: CorpusFolder, id: string, index: CorpusIndex): Replayed {
  try {
    return compareFixture(folder, folder.readFixture(id), index);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return { fixture: null, findings: [], unusable: error.message };
  }
}

function compareFixture(folder: CorpusFolder, stored: StoredFixture, index: CorpusIndex): Replayed {
  const { id, fixture: recorded, bytes, requestSha256, received, prepared } = stored;
  const { api, backend, model } = recorded ?? {};
  const rows = prepared === null ? null : toRows(prepared);
  const hints = { ...(api && { api }), ...(backend && { backend }), ...(model && { model }), received, prepared: rows };
  const now = judgeFixture(bytes, hints);
  if (now === null) {
    const unusable = `${folder.fileOf(id, REQUEST_FILE)} can't be judged: it is no JSON object of a known API`;
    return { fixture: null, findings: [], unusable };
  }
  const findings = [
    ...findIndexFaults(folder, stored, index),
    ...(recorded === null ? [] : findChanges(folder, stored, recorded, now)),
    ...findUnseenClasses(folder, stored, now, index),
  ];
  const { verdict, outcome, rules, classes, lost } = now;
  const said = { verdict, outcome, rules, classes, ...(lost && { lost }) };
  const fixture = { id, requestSha256, recorded, now: toFixture(recorded, now), ...said };
  return { fixture, findings, unusable: null };
}

function toFixture(recorded: Fixture | null, now: JudgedFixture): Fixture {
  const { lost: _, ...known } = recorded ?? ({} as Partial<Fixture>);
  const { api, backend, model, verdict, outcome, rules, classes, lost } = now;
  return { schema: 1, api, backend, model, ...known, verdict, outcome, rules, classes, ...(lost && { lost }) };
}

function findMissing(folder: CorpusFolder, index: CorpusIndex, ids: readonly string[]): Finding[] {
  const present = new Set(ids);
  const text = folder.readIndexText();
  const missing = Object.keys(index.fixtures).filter((id) => !present.has(id));
  return missing.map((id) => ({
    id: "replay/missing_fixture",
    level: "error",
    message: `the index lists the fixture ${id}, but it is gone; bring it back, or say why with --remove ${id} --why TEXT`,
    file: folder.fileOf(INDEX_FILE),
    line: lineOf(text, toPointer(["fixtures", id])),
  }));
}

function findIndexFaults(folder: CorpusFolder, { id, requestSha256 }: StoredFixture, index: CorpusIndex): Finding[] {
  const file = folder.fileOf(id, REQUEST_FILE);
  if (!Object.hasOwn(index.fixtures, id)) {
    const message = `the fixture ${id} is not in the index; --update adds it`;
    return [{ id: "replay/not_in_index", level: "error", message, file, line: 1 }];
  }
  if (index.fixtures[id] === requestSha256) return [];
  const message = `the request of the fixture ${id} is not the one that the index knows; --update takes it`;
  return [{ id: "replay/changed_request", level: "error", message, file, line: 1 }];
}

function findChanges(folder: CorpusFolder, stored: StoredFixture, recorded: Recorded, now: Recorded): Finding[] {
  return listChanges(recorded, now).map((member) => ({
    id: `replay/changed_${member}`,
    level: "error",
    message: `${stored.id}: ${member} ${show(recorded[member])} became ${show(now[member])}`,
    file: folder.fileOf(stored.id, FIXTURE_FILE),
    line: lineOf(stored.fixtureText, `/${member}`),
  }));
}

function findUnseenClasses(folder: CorpusFolder, stored: StoredFixture, now: Recorded, index: CorpusIndex): Finding[] {
  const unseen = now.classes.filter((name) => !index.classes.includes(name));
  return unseen.map((name) => ({
    id: "replay/unseen_class",
    level: "error",
    message: `${stored.id}: the divergence class ${name} was never seen in this corpus; --update accepts it`,
    file: folder.fileOf(stored.id, stored.fixture === null ? REQUEST_FILE : FIXTURE_FILE),
    line: lineOf(stored.fixtureText, "/classes"),
  }));
}

function show(value: Recorded[keyof Recorded]): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "none";
  if ("results" in value) return `${value.characters} characters of ${value.results} results`;
  return value.length === 0 ? "none" : value.join(", ");
}

/** The line of a member, or the first where it has none. */
function lineOf(text: string, pointer: string): number {
  const bytes = Buffer.from(text);
  const root = scanJson(bytes);
  const node = isSyntaxFault(root) ? undefined : nodeAt(root, pointer);
  return node === undefined ? 1 : lineAndColumn(bytes, node.start).line;
}
