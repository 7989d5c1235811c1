/** `holdfast replay` as a maintainer's CI runs it: a process of its own over the starter corpus, whole and with planted faults. */
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CorpusFolder } from "../../src/corpus/corpus-folder.ts";
import type { Fixture } from "../../src/corpus/fixture.ts";
import { runProgram } from "../cli/program.ts";

const root = join(import.meta.dirname, "../..");
const starter = join(import.meta.dirname, "starter");
const FIXTURE = "anthropic/open-call";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-replay-"));
});
afterAll(() => rm(folder, { recursive: true }));

let copies = 0;

/** A copy of the starter corpus that a test may damage. */
async function copyCorpus(): Promise<CorpusFolder> {
  copies += 1;
  const copy = join(folder, `corpus-${copies}`);
  await cp(starter, copy, { recursive: true });
  return new CorpusFolder(copy);
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(file, "utf8");
  expect(change(text)).not.toBe(text);
  await writeFile(file, change(text));
}

interface Sarif {
  readonly runs: readonly {
    readonly results: readonly {
      readonly ruleId: string;
      readonly locations: readonly [
        { readonly physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } },
      ];
    }[];
  }[];
}

/** Findings of the damaged corpus with their places, from the SARIF that code scanning would show. */
async function replaySarif(corpus: CorpusFolder, main?: string) {
  const words = ["replay", corpus.root, "--format", "sarif"];
  const { status, stdout } = main === undefined ? await runProgram(words) : spawnSync(process.execPath, [main, ...words]);
  const [run] = (JSON.parse(stdout.toString()) as Sarif).runs;
  const found = run!.results.map(({ ruleId, locations: [{ physicalLocation: place }] }) => ({
    id: ruleId,
    file: decodeURIComponent(place.artifactLocation.uri).split(/corpus-\d+\//)[1],
    line: place.region.startLine,
  }));
  return { status, found };
}

test.each(["starter", "refusals", "rules"])("DG-72 the corpus %s is judged as it was recorded", async (name) => {
  const { status, stdout, stderr } = await runProgram(["replay", join(import.meta.dirname, name)]);
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^\d+ fixtures replayed: all as recorded\n$/),
    stderr: "",
  });
});

test("DG-72 a planted rule change fails at the line of the recorded rules", async () => {
  const corpus = await copyCorpus();
  const changed = join(folder, "changed");
  await cp(join(root, "src"), join(changed, "src"), { recursive: true });
  await cp(join(root, "package.json"), join(changed, "package.json"));
  await symlink(join(root, "node_modules"), join(changed, "node_modules"));
  await edit(join(changed, "src/dispatch/rules/anthropic-messages.ts"), (text) =>
    text.replace('id: "A-PAIR-1"', 'id: "A-PAIR-101"'),
  );
  const { status, found } = await replaySarif(corpus, join(changed, "src/cli/main.ts"));
  expect(status).toBe(1);
  expect(found).toContainEqual({ id: "replay/changed_rules", file: `${FIXTURE}/fixture.json`, line: 8 });
  expect(found.filter(({ id }) => id !== "replay/changed_rules")).toEqual([]);
});

test("DG-72 a changed verdict fails at the line of the recorded one", async () => {
  const corpus = await copyCorpus();
  await edit(corpus.fileOf(FIXTURE, "fixture.json"), (text) => text.replace('"unsafe"', '"admit"'));
  expect(await replaySarif(corpus)).toEqual({
    status: 1,
    found: [{ id: "replay/changed_verdict", file: `${FIXTURE}/fixture.json`, line: 6 }],
  });
});

test("DG-72 a divergence class that the corpus has never seen fails", async () => {
  const corpus = await copyCorpus();
  const body = { messages: [{ role: "user", content: [{ type: "hologram" }] }], max_tokens: 1, system: "x" };
  const fixture: Fixture = {
    schema: 1,
    api: "anthropic-messages",
    backend: "anthropic",
    model: null,
    verdict: "admit-unverified",
    outcome: "sent",
    rules: [],
    classes: ["unmodelled"],
  };
  corpus.writeFixture("new", fixture, Buffer.from(JSON.stringify(body)));
  const index = corpus.readIndex();
  corpus.writeIndex({ ...index, classes: [], fixtures: { ...index.fixtures, new: corpus.readFixture("new").requestSha256 } });
  const { status, found } = await replaySarif(corpus);
  expect(status).toBe(1);
  expect(found).toContainEqual({ id: "replay/unseen_class", file: "new/fixture.json", line: 9 });
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(["replay/unseen_class"]));
});

test("DG-72 a removed fixture fails at its line in the index, until a reason is given", async () => {
  const corpus = await copyCorpus();
  await rm(corpus.fileOf(FIXTURE), { recursive: true });
  const lines = corpus.readIndexText().split("\n");
  const line = lines.findIndex((text) => text.includes(`"${FIXTURE}"`)) + 1;
  const gone = { status: 1, found: [{ id: "replay/missing_fixture", file: "index.json", line }] };
  expect(await replaySarif(corpus)).toEqual(gone);
  expect((await runProgram(["replay", corpus.root, "--update"])).status).toBe(1);
  expect(await replaySarif(corpus)).toEqual(gone);
  expect((await runProgram(["replay", corpus.root, "--remove", FIXTURE])).status).toBe(2);
  expect((await runProgram(["replay", corpus.root, "--remove", FIXTURE, "--why", "a copy of two-results"])).status).toBe(0);
  expect(corpus.readIndex().removed).toEqual({ [FIXTURE]: "a copy of two-results" });
});

test("DG-72 --remove deletes a fixture that is there, and knows the nearest name of one that is not", async () => {
  const corpus = await copyCorpus();
  const wrong = await runProgram(["replay", corpus.root, "--remove", "anthropic/open-cal", "--why", "old"]);
  expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining(`did you mean ${FIXTURE}?`) });
  expect((await runProgram(["replay", corpus.root, "--remove", FIXTURE, "--why", "old"])).status).toBe(0);
  expect(corpus.listIds()).not.toContain(FIXTURE);
});

test("DG-72 a fixture that the index does not know fails, and --update adds it with its verdict and classes", async () => {
  const corpus = await copyCorpus();
  corpus.writeIndex({ ...corpus.readIndex(), fixtures: {}, classes: [] });
  await rm(corpus.fileOf(FIXTURE, "fixture.json"));
  const before = await replaySarif(corpus);
  expect(before.status).toBe(1);
  expect(before.found).toContainEqual({ id: "replay/not_in_index", file: `${FIXTURE}/request.json`, line: 1 });
  const updated = await runProgram(["replay", corpus.root, "--update"]);
  expect(updated).toMatchObject({ status: 0, stdout: expect.stringContaining(`added ${FIXTURE}\n`) });
  expect(updated.stdout).toContain("accepted the class unmodelled");
  expect(corpus.readFixture(FIXTURE).fixture).toEqual(new CorpusFolder(starter).readFixture(FIXTURE).fixture);
  expect(corpus.readIndex()).toEqual(new CorpusFolder(starter).readIndex());
});

test("DG-72 a request that was edited fails, and --update takes it", async () => {
  const corpus = await copyCorpus();
  await edit(corpus.fileOf(FIXTURE, "request.json"), (text) => `${text}\n`);
  expect(await replaySarif(corpus)).toEqual({
    status: 1,
    found: [{ id: "replay/changed_request", file: `${FIXTURE}/request.json`, line: 1 }],
  });
  const updated = await runProgram(["replay", corpus.root, "--update"]);
  expect(updated).toMatchObject({ status: 0, stdout: expect.stringContaining(`recorded anew ${FIXTURE}\n`) });
});

test("DG-72 CL-2 JUnit has a case for each fixture, and JSON one document with findings and stats", async () => {
  const corpus = await copyCorpus();
  await edit(corpus.fileOf(FIXTURE, "fixture.json"), (text) => text.replace('"repaired"', '"sent"'));
  const junit = await runProgram(["replay", corpus.root, "--format", "junit"]);
  expect(junit.status).toBe(1);
  expect(junit.stdout.match(/<testcase /g)).toHaveLength(corpus.listIds().length);
  expect(junit.stdout.match(/<failure type="replay\/changed_outcome"/g)).toHaveLength(1);
  const json = await runProgram(["replay", corpus.root, "--stats", "--json"]);
  const document = JSON.parse(json.stdout);
  expect(document).toMatchObject({ schema: 1, findings: [{ id: "replay/changed_outcome", line: 7 }] });
  expect(document.fixtures.find(({ id }: { id: string }) => id === FIXTURE)).toMatchObject({
    outcome: "repaired",
    recorded: { outcome: "sent" },
  });
  expect(document.stats.fixtures).toBe(corpus.listIds().length);
});

test("CL-1 replay says in one line what is wrong with its words or its folder", async () => {
  const corpus = await copyCorpus();
  await writeFile(corpus.fileOf(FIXTURE, "fixture.json"), '{"schema":2}');
  const empty = join(folder, "empty");
  await cp(join(root, "LICENSE"), join(empty, "LICENSE"));
  for (const [words, says] of [
    [[], "one DIR"],
    [[join(folder, "nowhere")], "no such file or folder"],
    [[join(root, "LICENSE")], "it is a file, not a folder"],
    [[empty], "holds no fixture"],
    [[starter, "--why", "x"], "--remove"],
    [[corpus.root], `${FIXTURE}/fixture.json /schema: `],
  ] as const) {
    const { status, stderr } = await runProgram(["replay", ...words]);
    expect({ status, lines: stderr.split("\n").length, stderr }).toMatchObject({ status: 2, lines: 2 });
    expect(stderr).toContain(says);
  }
});
