/** `holdfast diff`: why did the cache break between these two requests? */

import { lineAndColumn } from "../lib/json-spans.ts";
import { toDiffFinding } from "../report/diff/diff-finding.ts";
import { type DiffRecord, toDiffRecord } from "../report/diff/diff-record.ts";
import { diffRequests } from "../report/diff/diff-requests.ts";
import { openSessionRequest, type SessionRequest } from "../report/diff/session-request.ts";
import type { Finding } from "../report/finding.ts";
import { toJunit } from "../report/junit.ts";
import { toSarif } from "../report/sarif.ts";
import { APIS, type Api, isApi } from "../wire/api.ts";
import type { Command, Invocation } from "./command.ts";
import { describeDiff, describeSession, type PricedRecord } from "./diff-text.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { type Input, readInputs } from "./input.ts";
import { complainOfAll, write, writeJson, writeLine } from "./output.ts";
import { usageError } from "./usage-error.ts";
import { readVersion } from "./version.ts";

export const diff: Command = {
  name: "diff",
  operands: "BEFORE AFTER",
  about:
    "Says whether a provider's cache of BEFORE still serves AFTER, the next request of the same session; if not, what " +
    "moved, where, what it costs and what to do. One .jsonl file, or a folder, is a whole session: each request is " +
    "compared with the one in front of it. Exit code 1 when a prefix is broken.",
  flags: [
    { name: "api", value: "ID", choices: APIS, about: "the API; detected from the shape without it" },
    {
      name: "format",
      value: "FORMAT",
      choices: ["text", "json", "sarif", "junit"],
      about: "how the result is printed",
    },
    { name: "json", about: "short for --format json" },
  ],
  run: runDiff,
};

/** A comparison, and where the later of its two requests stands. */
interface Step {
  readonly record: PricedRecord;
  readonly input: Pick<Input, "source" | "line">;
  /** Of the byte in a bare body; null where the file holds more around it. */
  readonly byteLine: number | null;
}

async function runDiff(invocation: Invocation): Promise<ExitCode> {
  const { operands } = invocation;
  const api = invocation.value("api");
  const format = invocation.isOn("json") ? "json" : (invocation.value("format") ?? "text");
  const reader = new StepReader(isApi(api) ? api : undefined);
  const [first, second, ...others] = operands;
  if (first === undefined || others.length > 0) {
    throw usageError(`diff takes BEFORE and AFTER, or one .jsonl session; ${operands.length} operands are given`);
  }
  const session = second === undefined;
  const steps = session ? await readSession(first, reader, format) : await readPair([first, second], reader);
  if (steps.length > 0) writeSteps(steps, session, format);
  complainOfAll(reader.unreadable, "inputs that can't be compared");
  if (reader.unreadable.length > 0) return EXIT.broken;
  return steps.some(({ record }) => !record.prefix_kept) ? EXIT.findings : EXIT.fine;
}

/** Text is written while the session is read: a long one shows its first steps at once. */
async function readSession(source: string, reader: StepReader, format: string): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for await (const input of readInputs([source])) {
    const step = await reader.read(input);
    if (step === null) continue;
    steps.push(step);
    if (format === "text") writeLine(describeStep(step));
  }
  if (reader.unreadable.length === 0 && steps.length === 0)
    throw usageError(`${source} holds fewer than two requests; diff compares two`);
  return steps;
}

async function readPair(sources: readonly string[], reader: StepReader): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const source of sources) {
    let inputs = 0;
    for await (const input of readInputs([source])) {
      inputs += 1;
      if (inputs > 1) throw usageError(`${source} holds several requests; give it alone to compare its steps`);
      const step = await reader.read(input);
      if (step !== null) steps.push(step);
    }
    if (inputs === 0) throw usageError(`${source} holds no request`);
  }
  return steps;
}

/** Holds the last request, so that a session of any length is compared in the memory of two. */
class StepReader {
  readonly unreadable: string[] = [];
  readonly #api: Api | undefined;
  #last: SessionRequest | null = null;

  constructor(api: Api | undefined) {
    this.#api = api;
  }

  async read(input: Input): Promise<Step | null> {
    const opened = openInput(input, this.#api);
    if (typeof opened === "string") {
      this.unreadable.push(opened);
      return null;
    }
    const before = this.#last;
    this.#last = opened;
    if (before === null) return null;
    const record = await priceRecord(toDiffRecord(diffRequests(before, opened)));
    return { record, input: { source: input.source, line: input.line }, byteLine: findLine(record, input) };
  }
}

/** The table of prices is loaded only where something was lost: it takes as long to load as Node itself. */
async function priceRecord(record: DiffRecord): Promise<PricedRecord> {
  if (record.lost.tokens === 0) return { ...record, lost_usd: 0 };
  const { PriceTable } = await import("../cache/price.ts");
  const { priceLoss } = await import("../report/diff/loss-price.ts");
  return { ...record, lost_usd: priceLoss(record, new PriceTable()) };
}

/** The request, or what is wrong with it. */
function openInput(input: Input, api: Api | undefined): SessionRequest | string {
  if (input.kind === "unreadable") return `${nameInput(input)}: ${input.message}`;
  const { hints } = input;
  const opened = openSessionRequest(input.bytes, { ...hints, api: api ?? hints.api });
  if (opened.kind === "request") return opened;
  const { place, message } = opened;
  if (place === null) return `${nameInput(input)}: ${message}`;
  return `${input.source}:${input.line ?? place.line}:${place.column}: ${message}`;
}

function nameInput({ source, line }: Pick<Input, "source" | "line">): string {
  return line === null ? source : `${source}:${line}`;
}

/** An envelope or a JSON lines file has other lines than the body in it. */
function findLine({ byte }: DiffRecord, input: Input): number | null {
  const bare = input.kind === "request" && input.line === null && Object.keys(input.hints).length === 0;
  return bare && byte !== null ? lineAndColumn(input.bytes, byte).line : null;
}

function describeStep({ record, input }: Step): string {
  return describeDiff(record, nameInput(input));
}

/** What stands behind the last step: of a session in text only the sum. */
function writeSteps(steps: readonly Step[], session: boolean, format: string): void {
  const records = steps.map(({ record, input }) => ({ ...record, ...input }));
  if (format === "json") writeJson(session ? records : records[0]);
  if (format === "text") writeLine(session ? describeSession(records) : describeStep(steps[0]!));
  if (format === "sarif") {
    const findings = listFindings(steps, ({ input, byteLine }) => input.line ?? byteLine);
    writeJson(toSarif(findings, { version: readVersion(), root: process.cwd() }));
  }
  if (format === "junit") {
    const checked = steps.map(({ input }) => nameInput(input));
    write(
      toJunit(
        listFindings(steps, ({ input }) => input.line),
        { name: "diff", checked },
      ),
    );
  }
}

/** An annotation stands at the line of its place; a test is a whole request. */
function listFindings(steps: readonly Step[], lineOf: (step: Step) => number | null): readonly Finding[] {
  return steps.flatMap((step) => {
    const line = lineOf(step);
    return toDiffFinding(step.record, { file: step.input.source, ...(line !== null && { line }) }) ?? [];
  });
}
