/** `holdfast scan`: what the sessions on this machine cost, which lost their cache, which are bricked. */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { PriceTable } from "../cache/price.ts";
import { readPriceOverrides } from "../cache/price-overrides.ts";
import { systemClock } from "../lib/clock.ts";
import { HoldfastError, isHoldfastError } from "../lib/error.ts";
import { toJunit } from "../report/junit.ts";
import { toSarif } from "../report/sarif.ts";
import { sessionFolders } from "../transcripts/agents.ts";
import { findSources } from "../transcripts/find-sources.ts";
import { type ScanProgress, type ScanResult, scan as scanSources } from "../transcripts/scan.ts";
import { toScanDocument } from "../transcripts/scan-document.ts";
import { type AgentName, agentNames } from "../transcripts/transcript.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { complainOfAll, describeBytes, write, writeJson, writeLine } from "./output.ts";
import { openProgress } from "./progress.ts";
import { toScanFindings } from "./scan-findings.ts";
import { describeScan } from "./scan-text.ts";
import { saveStdin } from "./stdin-file.ts";
import { usageError } from "./usage-error.ts";
import { readVersion } from "./version.ts";

export const scan: Command = {
  name: "scan",
  operands: "[PATH…]",
  about:
    "Reads the sessions that Claude Code, Pi, OMP, OpenCode and Codex left on this machine and says what they cost, which " +
    "turns lost their prompt cache and why, and which sessions the provider will refuse. PATH is a session file, a folder, " +
    "or - for stdin; without it the places under your home are read. Nothing is written. Exit code 1 when a session is broken.",
  flags: [
    { name: "agent", value: "NAME", choices: agentNames, about: "only the sessions of one agent" },
    { name: "since", value: "DAYS", about: "only sessions that were written to in the last DAYS" },
    { name: "prices", value: "FILE", about: "your own prices by model, in front of the bundled list" },
    { name: "all", about: "list every session, not only the worst" },
    {
      name: "format",
      value: "FORMAT",
      choices: ["text", "json", "sarif", "junit"],
      about: "how the result is printed",
    },
    { name: "json", about: "short for --format json" },
  ],
  run: runScan,
};

async function runScan(invocation: Invocation): Promise<ExitCode> {
  const stdin = invocation.operands.includes("-") ? await saveStdin() : null;
  try {
    return await scanPlaces(invocation, stdin?.path ?? null);
  } catch (error) {
    if (stdin === null || !isHoldfastError(error)) throw error;
    throw new HoldfastError(error.code, error.message.replaceAll(stdin.path, "stdin"), { cause: error });
  } finally {
    stdin?.remove();
  }
}

/** @param stdin the file that stands for `-` */
async function scanPlaces(invocation: Invocation, stdin: string | null): Promise<ExitCode> {
  const now = systemClock.now();
  const format = invocation.isOn("json") ? "json" : (invocation.value("format") ?? "text");
  const agent = agentNames.find((name) => name === invocation.value("agent"));
  const since = readSince(invocation.value("since"), now);
  const priceFile = invocation.value("prices");
  const prices = new PriceTable(priceFile === undefined ? {} : readPriceOverrides(priceFile));
  const paths = invocation.operands.length > 0 ? invocation.operands : await findFolders(agent);
  const files = paths.map((path) => (path === "-" ? (stdin ?? path) : path));
  const progress = openProgress("looking for sessions");
  const found = await findSources(files, { agent, since });
  const onProgress = (state: ScanProgress) => progress.show(() => describeProgress(state));
  const scanned = await scanSources(found, { prices, now, since, onProgress });
  progress.clear();
  const named = scanned.sessions.map((session) => (session.path === stdin ? { ...session, path: "-" } : session));
  const result = { ...scanned, sessions: named };
  writeResult(result, format, { places: paths, all: invocation.isOn("all") });
  const failures = result.unreadable.map(({ path, reason }) => (reason.includes(path) ? reason : `${path}: ${reason}`));
  complainOfAll(failures, "places that can't be read");
  if (result.sessions.length === 0 && result.unreadable.length > 0) return EXIT.broken;
  return result.sessions.some((session) => session.findings.length > 0) ? EXIT.findings : EXIT.fine;
}

function describeProgress({ bytes, bytesTotal, sessions }: ScanProgress): string {
  const percent = bytesTotal === 0 ? 100 : Math.min(100, Math.floor((bytes / bytesTotal) * 100));
  return `reading ${describeBytes(bytes)} of ${describeBytes(bytesTotal)} (${percent} %), ${sessions} sessions`;
}

function readSince(days: string | undefined, now: number): number {
  if (days === undefined) return 0;
  const count = Number(days);
  if (!(count >= 0)) throw usageError(`--since "${days}" is no number of days, for example --since 7`);
  return now - count * 24 * 60 * 60_000;
}

/** Where the agents keep their sessions, as far as these folders exist. */
async function findFolders(agent: AgentName | undefined): Promise<readonly string[]> {
  const folders = sessionFolders(process.env, homedir()).filter(
    (place) => agent === undefined || place.agent === agent,
  );
  const existing: string[] = [];
  for (const { folder } of folders) {
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory() && !existing.includes(folder)) existing.push(folder);
  }
  return existing;
}

function writeResult(
  result: ScanResult,
  format: string,
  text: { readonly places: readonly string[]; readonly all: boolean },
): void {
  if (format === "text") writeLine(describeScan(result, text));
  if (format === "json") writeJson(toScanDocument(result));
  if (format === "sarif") writeJson(toSarif(toScanFindings(result), { version: readVersion(), root: process.cwd() }));
  if (format === "junit") {
    const checked = result.sessions.map((session) => session.path);
    write(toJunit(toScanFindings(result), { name: "scan", checked }));
  }
}
