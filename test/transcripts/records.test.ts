import { appendFileSync, chmodSync, readFileSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { PriceTable } from "../../src/cache/price.ts";
import { findSources } from "../../src/transcripts/find-sources.ts";
import { scan } from "../../src/transcripts/scan.ts";
import { ClaudeSession, sessionFile } from "./claude-rows.ts";
import { makeFolder, scanFiles, scanPath, toLines } from "./scan-files.ts";

/** Four sound rows: prompt, call, result, answer. */
function makeLines(): string[] {
  const { rows } = new ClaudeSession()
    .user("Hello.")
    .call("1", "toolu_1")
    .result("toolu_1")
    .answer("2", { read: 9000 });
  return rows.map((row) => JSON.stringify(row));
}

type Counts = readonly [good: number, recovered: number, lost: number, duplicates: number];

async function check(
  text: string | Uint8Array,
  counts: Counts,
  damage: readonly (readonly [number | null, string, boolean])[],
) {
  const { sessions } = await scanFiles({ [sessionFile]: text });
  const { records, damage: found } = sessions[0]!;
  expect([records.good, records.recovered, records.lost, records.duplicates]).toEqual(counts);
  expect(found.map(({ line, kind, recovered }) => [line, kind, recovered])).toEqual(damage);
  return sessions[0]!;
}

test("SC-1 a file is cut at 0x0A only, and other line ends are read", async () => {
  const lines = makeLines();
  const separators = lines.map((line) => line.replace("Hello.", "a\u2028b\u2029c")).join("\n");
  await check(separators, [4, 0, 0, 0], []);
  await check(lines.join("\r\n"), [4, 0, 0, 0], [[1, "crlf", true]]);
  await check(`\uFEFF${lines.join("\n")}\n\n`, [4, 0, 0, 0], []);
});

test("SC-2 reading goes on behind every kind of damage", async () => {
  const [a, b, c, d] = makeLines() as [string, string, string, string];
  const cut = c.slice(0, 150);
  const nul = (count: number) => "\0".repeat(count);
  await check(`${a}\n${b}\n${nul(700)}\n${c}\n${d}\n`, [4, 0, 1, 0], [[3, "nul_run", false]]);
  await check(`${a}\n${b}\n${cut}${d}\n`, [2, 1, 1, 0], [[3, "glued", true]]);
  await check(`${a}${b}\n${c}\n${d}\n`, [2, 2, 0, 0], [[1, "glued", true]]);
  await check(`${a}${b}${cut}${d}\n`, [0, 3, 1, 0], [[1, "glued", true]]);
  await check(`${a}\n${nul(9)}${b}${nul(3)}\n${c}\n${d}\n`, [3, 1, 0, 0], [[2, "nul_pad", true]]);
  await check(`${a}\n${cut}${nul(50)}${b}\n`, [1, 1, 1, 0], [[2, "nul_run", false]]);
  await check(`${a}\n${b}\n${cut}\n${d}\n`, [3, 0, 1, 0], [[3, "torn_line", false]]);
  await check(
    `${a}\n${b.replace("Yes.", "Y\tes.")}\n${c.replace("done", "d\tone")}\n`,
    [2, 1, 0, 0],
    [[3, "raw_control", true]],
  );
  const broken = c.replace("done", "one\ntwo {}\n{}\nthree");
  await check(`${a}\n${b}\n${broken}\n${d}\n`, [3, 1, 0, 0], [[3, "raw_newline", true]]);
  await check(
    `${a}\n${b}\n${broken}${d}\n`,
    [2, 2, 0, 0],
    [
      [6, "glued", true],
      [3, "raw_newline", true],
    ],
  );
  await check(`${a}\nnot json\n${b}\n`, [2, 0, 1, 0], [[2, "torn_line", false]]);
});

test("SC-2 two writers at once lose nothing where both records can be put together", async () => {
  const [a, b, c, d] = makeLines() as [string, string, string, string];
  await check(`${a}\n${b}\n${c.slice(0, 120)}${d}${c.slice(120)}\n`, [2, 2, 0, 0], [[3, "glued", true]]);
});

test("SC-2 a result behind damage still answers its call", async () => {
  const [a, b, c, d] = makeLines() as [string, string, string, string];
  const session = await check(`${a}\n${b}\n${a.slice(0, 90)}${c}\n${d}\n`, [3, 1, 1, 0], [[3, "glued", true]]);
  expect(session.findings).toEqual([]);
});

test("SC-3 what was written again is no loss and counts once", async () => {
  const [a, b, c, d] = makeLines() as [string, string, string, string];
  await check(`${a}\n${b}\n${c.slice(0, 150)}\n${c}\n${d}\n`, [4, 0, 0, 0], [[3, "torn_line", true]]);
  await check(`${a}\n${b}\n${c.slice(0, 150)}${c}\n${d}\n`, [3, 1, 0, 0], [[3, "glued", true]]);
  await check(`${a}\n${b}\n${c}\n${c}\n${d}\n`, [4, 0, 0, 1], [[4, "duplicate", true]]);
  await check(`${a}\n${b}\n${c}\n${c.replace("done", "done twice")}\n${d}\n`, [5, 0, 0, 0], [[4, "conflict", true]]);
});

test("SC-4 an unfinished last line is damage only where nobody writes", async () => {
  const lines = makeLines();
  const text = `${lines.slice(0, 3).join("\n")}\n${lines[3]!.slice(0, 200)}`;
  const folder = makeFolder({ [sessionFile]: text });
  const path = join(folder, sessionFile);
  const rowTime = Date.parse("2026-03-14T09:00:20Z");
  utimesSync(path, rowTime / 1000, rowTime / 1000);
  const atWork = await scanPath(folder, { now: rowTime + 60_000 });
  expect(atWork.sessions[0]!.damage).toEqual([]);
  expect(atWork.sessions[0]!.records).toMatchObject({ lines: 3, good: 3, lost: 0 });
  const later = await scanPath(folder, { now: rowTime + 3_600_000 });
  expect(later.sessions[0]!.damage).toMatchObject([{ line: 4, kind: "torn_tail", recovered: false }]);
  expect(later.sessions[0]!.records).toMatchObject({ lines: 4, good: 3, lost: 1 });
});

test("SC-4 a file that grows while it is read is no damage", async () => {
  const lines = makeLines();
  const folder = makeFolder({ [sessionFile]: `${lines[0]}\n` });
  const path = join(folder, sessionFile);
  // A writer that never ends a line until it is stopped: the tail is unfinished whenever the reader looks.
  let writes = 0;
  const writer = setInterval(() => appendFileSync(path, writes++ === 0 ? '{"type":"user","uuid":"' : "x"), 5);
  try {
    await expect.poll(() => statSync(path).size).toBeGreaterThan(lines[0]!.length + 10);
    const { sessions } = await scanPath(folder);
    expect(sessions[0]!.damage).toEqual([]);
  } finally {
    clearInterval(writer);
  }
});

test("SC-5 nothing is written", async () => {
  const folder = makeFolder({ [sessionFile]: makeLines().join("\n") });
  const path = join(folder, sessionFile);
  const before = [readFileSync(path, "hex"), statSync(path).mtimeMs];
  await scanPath(folder);
  expect([readFileSync(path, "hex"), statSync(path).mtimeMs]).toEqual(before);
});

test("SC-6 other files in a folder are skipped, and refused by name", async () => {
  const folder = makeFolder({
    [sessionFile]: makeLines().join("\n"),
    "notes.jsonl": toLines([{ display: "hello", project: "/home/tester" }]),
    "binary.jsonl": new Uint8Array([1, 2, 3, 0, 255, 10, 7]),
    "empty.jsonl": "",
    "settings.json": "{}",
  });
  const { sessions, totals } = await scanPath(folder);
  expect(sessions).toHaveLength(1);
  expect(totals.skipped_files).toBe(3);
  await expect(scanPath(join(folder, "binary.jsonl"))).rejects.toMatchObject({ code: "not_a_session" });
  await expect(scanPath(join(folder, "missing.jsonl"))).rejects.toMatchObject({ code: "path_not_found" });
});

test("SC-2 a compressed file that was cut gives what stands before the cut", async () => {
  const rows = Array.from({ length: 400 }, (_, i) => ({
    ...{ timestamp: "2026-03-14T09:00:00.000Z", type: "response_item" },
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: `${i} ${Math.sin(i)}` }] },
  }));
  const name = "rollout-2026-03-14T09-00-00-aaaaaaaa-0000-4000-8000-000000000001.jsonl.zst";
  const whole = zstdCompressSync(toLines(rows));
  const sound = await scanFiles({ [name]: whole });
  expect(sound.sessions[0]).toMatchObject({ agent: "codex", records: { good: 400, lost: 0 } });
  const cut = await scanFiles({ [name]: whole.subarray(0, whole.length - 40) });
  expect(cut.sessions[0]!.damage.map(({ kind }) => kind)).toContain("unreadable");
});

test("SC-6 links are followed, each folder once", async () => {
  const elsewhere = makeFolder({ [`projects/${sessionFile}`]: makeLines().join("\n") });
  const folder = makeFolder({ "a/notes.txt": "" });
  symlinkSync(join(elsewhere, "projects"), join(folder, "a", "projects"));
  symlinkSync(folder, join(folder, "a", "loop"));
  symlinkSync("nothing", join(folder, "dangling.jsonl"));
  symlinkSync(join(elsewhere, "projects", sessionFile), join(folder, "b.jsonl"));
  expect((await scanPath(folder)).sessions).toHaveLength(1);
  expect((await scanPath(join(folder, "b.jsonl"))).sessions).toHaveLength(1);
});

test("SC-6 a folder that cannot be looked into is named, and the others are read", async () => {
  const folder = makeFolder({ [sessionFile]: makeLines().join("\n"), "closed/notes.txt": "" });
  const closed = join(folder, "closed");
  const wasRoot = process.getuid?.() === 0;
  // The superuser may look everywhere, so the folder is closed to another user.
  chmodSync(folder, 0o755);
  chmodSync(closed, 0);
  if (wasRoot) process.seteuid?.(65_534);
  const found = await findSources([folder], { agent: undefined, since: 0 }).finally(() => {
    if (wasRoot) process.seteuid?.(0);
    chmodSync(closed, 0o755);
  });
  expect(found.sources).toHaveLength(1);
  expect(found.unreadable).toEqual([{ path: closed, reason: "no permission to read it" }]);
  const result = await scan(found, { prices: new PriceTable(), now: 0, since: 0, onProgress: () => {} });
  expect(result.unreadable).toEqual(found.unreadable);
});
