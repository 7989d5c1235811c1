/**
 * How fast does `scan` read, against `JSON.parse` of the same lines, and how much memory does it take?
 * Run: `node bench/scan.ts [MEGABYTES] [--json]` (1024 by default). The files are made from the test fixtures in a temporary
 * folder, with ids of their own in every copy, so that nothing is a duplicate of anything.
 */
import { fork } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { PriceTable } from "../src/cache/price.ts";
import { findSources } from "../src/transcripts/find-sources.ts";
import { LineSplitter } from "../src/transcripts/line-splitter.ts";
import { scan } from "../src/transcripts/scan.ts";
import { report } from "./report.ts";

const MEGABYTE = 1024 * 1024;

/** Limits of the release: bounded memory, and no slower than a third of plain parsing. */
const MEMORY_MEGABYTES_MAX = 300;
const RATIO_MAX = 3;
/** One file of this size each: a big session, and many of them in a gigabyte. */
const FILE_BYTES = 128 * MEGABYTE;

interface Measured {
  readonly seconds: number;
  readonly peakBytes: number;
}

const [mode, folder] = process.argv.slice(2);
if (mode === "parse" || mode === "scan") await measure(mode, folder!);
else await compare((Number.parseInt(mode ?? "", 10) || 1024) * MEGABYTE);

async function compare(bytes: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-bench-"));
  try {
    await writeSessions(folder, bytes);
    // Each in a process of its own, so that one's memory is not the other's.
    const parse = await runMode("parse", folder);
    const scanned = await runMode("scan", folder);
    const speed = ({ seconds }: Measured) => `${(bytes / MEGABYTE / seconds).toFixed(0)} MB/s`;
    report("scan", [
      {
        id: "-",
        name: "scan / JSON.parse line by line, processor time",
        value: scanned.seconds / parse.seconds,
        max: RATIO_MAX,
        detail: `${speed(scanned)} / ${speed(parse)}`,
      },
      {
        id: "-",
        name: "memory of scan, MB",
        value: Math.round(scanned.peakBytes / MEGABYTE),
        max: MEMORY_MEGABYTES_MAX,
      },
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeSessions(folder: string, bytes: number): Promise<void> {
  const samples = await readSamples();
  let copy = 0;
  for (let written = 0, file = 0; written < bytes; file++) {
    const sample = samples[file % samples.length]!;
    const out = createWriteStream(
      join(folder, sample.name.replace(/\d(?=\.jsonl$)/, String(file % 10)).replace(/^/, `${file}-`)),
    );
    const size = Math.min(FILE_BYTES, bytes - written);
    for (let at = 0; at < size; copy++) {
      const text = sample.text.replaceAll("@", String(copy));
      at += text.length;
      written += text.length;
      if (!out.write(text)) await new Promise((resolve) => out.once("drain", () => resolve(undefined)));
    }
    out.end();
    await finished(out);
  }
}

/** The fixtures of the tests, with a mark in every id that a copy replaces. */
async function readSamples(): Promise<readonly { name: string; text: string }[]> {
  const fixtures = fileURLToPath(new URL("../test/fixtures/transcripts/bench/", import.meta.url));
  const names = (await readdir(fixtures)).sort();
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(fixtures, name), "utf8") })));
}

function runMode(mode: string, folder: string): Promise<Measured> {
  const child = fork(fileURLToPath(import.meta.url), [mode, folder]);
  return new Promise((resolve, reject) => {
    child.once("message", (measured) => resolve(measured as Measured));
    child.once("error", reject);
    child.once("exit", (code) => code !== 0 && reject(new Error(`${mode} ended with ${code}`)));
  });
}

async function measure(mode: "parse" | "scan", folder: string): Promise<void> {
  await (mode === "parse" ? parseLines(folder) : scanFolder(folder));
  // Processor time, because the machine may be busy with something else. It holds the collector's threads as well.
  const { user, system } = process.cpuUsage();
  const seconds = (user + system) / 1e6;
  // Node reports the peak in kilobytes on every platform.
  process.send!({ seconds, peakBytes: process.resourceUsage().maxRSS * 1024 } satisfies Measured);
  process.disconnect();
}

async function parseLines(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const splitter = new LineSplitter(({ bytes }) => JSON.parse(bytes.toString("utf8")));
    for await (const chunk of createReadStream(join(folder, name), { highWaterMark: MEGABYTE })) splitter.push(chunk);
    splitter.end();
  }
}

async function scanFolder(folder: string): Promise<void> {
  const found = await findSources([folder], { agent: undefined, since: 0 });
  await scan(found, { prices: new PriceTable(), now: Date.now(), since: 0, onProgress: () => {} });
}
