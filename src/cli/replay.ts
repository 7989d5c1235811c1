/** `holdfast replay`: does the gate still say of every captured request what it said when it was recorded? */
import { CorpusFolder } from "../corpus/corpus-folder.ts";
import { type CorpusStats, countCorpus } from "../corpus/corpus-stats.ts";
import { type CorpusReplay, replayCorpus } from "../corpus/replay.ts";
import { type CorpusUpdate, removeFixture, updateCorpus } from "../corpus/update-corpus.ts";
import { toJunit } from "../report/junit.ts";
import { toSarif } from "../report/sarif.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { findNearestName } from "./nearest-name.ts";
import { complainOfAll, write, writeJson } from "./output.ts";
import { openProgress } from "./progress.ts";
import { describeReplay, describeStats, describeUpdate } from "./replay-text.ts";
import { usageError } from "./usage-error.ts";
import { readVersion } from "./version.ts";

export const replay: Command = {
  name: "replay",
  operands: "DIR",
  about:
    "Judges every fixture of the corpus in DIR again. A changed verdict, rule or outcome, a divergence class that the corpus has " +
    "never seen, and a fixture that the index misses or lists in vain are findings: exit code 1.",
  flags: [
    { name: "update", about: "record new fixtures, new classes and what is judged otherwise now" },
    { name: "remove", value: "ID", about: "take one fixture out; needs --why" },
    { name: "why", value: "TEXT", about: "the reason for --remove, kept in the index" },
    { name: "stats", about: "print counts, and how many turns a positional guard refuses are really illegal" },
    { name: "format", value: "FORMAT", choices: ["text", "json", "sarif", "junit"], about: "how findings are printed" },
    { name: "json", about: "short for --format json" },
  ],
  run: runReplay,
};

async function runReplay(invocation: Invocation): Promise<ExitCode> {
  const folder = new CorpusFolder(readOperand(invocation.operands));
  removeNamed(folder, invocation.value("remove"), invocation.value("why"));
  const progress = openProgress();
  const show = (done: number, total: number) => progress.show(() => `replaying fixture ${done + 1} of ${total}`);
  const first = replayCorpus(folder, show);
  progress.clear();
  complainOfAll(first.unusable, "fixtures that can't be used");
  if (isEmpty(first)) throw usageError(`${folder.root} holds no fixture: a folder with a request.json for each`);
  const update = invocation.isOn("update") ? updateCorpus(folder, first) : null;
  const replayed = update === null ? first : replayCorpus(folder, show);
  progress.clear();
  const stats = invocation.isOn("stats") ? countCorpus(replayed.fixtures) : null;
  const format = invocation.isOn("json") ? "json" : (invocation.value("format") ?? "text");
  REPORTS[format]!({ folder, replayed, update, stats });
  if (replayed.unusable.length > 0) return EXIT.broken;
  return replayed.findings.length > 0 ? EXIT.findings : EXIT.fine;
}

function readOperand(operands: readonly string[]): string {
  const [root, ...others] = operands;
  if (root === undefined || others.length > 0) {
    throw usageError(`replay takes one DIR, the folder of a corpus; ${operands.length} operands are given`);
  }
  return root;
}

function removeNamed(folder: CorpusFolder, id: string | undefined, why: string | undefined): void {
  if (id === undefined && why !== undefined)
    throw usageError("--why gives the reason for --remove ID, which is missing");
  if (id === undefined) return;
  if (why === undefined || why.trim() === "") throw usageError(`--remove ${id} needs a reason: add --why TEXT`);
  if (removeFixture(folder, id, why)) return;
  const nearest = findNearestName(id, Object.keys(folder.readIndex().fixtures));
  throw usageError(`the index has no fixture ${id}${nearest === null ? "" : `, did you mean ${nearest}?`}`);
}

function isEmpty({ fixtures, unusable, index }: CorpusReplay): boolean {
  return (
    fixtures.length + unusable.length + Object.keys(index.fixtures).length + Object.keys(index.removed).length === 0
  );
}

interface Report {
  readonly folder: CorpusFolder;
  readonly replayed: CorpusReplay;
  readonly update: CorpusUpdate | null;
  readonly stats: CorpusStats | null;
}

const REPORTS: Readonly<Record<string, (report: Report) => void>> = {
  text: ({ replayed, update, stats }) => {
    if (update !== null) write(describeUpdate(update));
    write(describeReplay(replayed));
    if (stats !== null) write(describeStats(stats));
  },
  json: ({ folder, replayed, update, stats }) =>
    writeJson({
      schema: 1,
      corpus: folder.root,
      fixtures: replayed.fixtures.map(({ id, now, recorded }) => ({
        id,
        ...now,
        would_refuse: now.would_refuse ?? null,
        recorded: recorded && {
          verdict: recorded.verdict,
          outcome: recorded.outcome,
          rules: recorded.rules,
          classes: recorded.classes,
          ...(recorded.lost && { lost: recorded.lost }),
        },
      })),
      findings: replayed.findings,
      ...(update && { update }),
      ...(stats && { stats }),
    }),
  sarif: ({ replayed }) => writeJson(toSarif(replayed.findings, { version: readVersion(), root: process.cwd() })),
  junit: ({ folder, replayed }) => {
    // A test is a fixture, whatever its finding's line.
    const findings = replayed.findings.map(({ line: _, ...finding }) => finding);
    const checked = replayed.fixtures.map(({ id }) => folder.fileOf(id, "fixture.json"));
    write(toJunit(findings, { name: "replay", checked }));
  },
};
