/** `holdfast check`: is this request legal for its provider, and what would the gate do? */
import { readFileSync } from "node:fs";
import { judgeBody } from "../engine/judge-body.ts";
import { describeFileFailure } from "../lib/file-failure.ts";
import { APIS, BACKENDS, isApi, isBackend } from "../wire/api.ts";
import { type CheckRecord, toCheckRecord } from "./check-record.ts";
import { describeRecord, describeTotals } from "./check-text.ts";
import type { Command, Invocation } from "./command.ts";
import type { RequestHints } from "./envelope.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { type Input, type RequestInput, readInputs } from "./input.ts";
import { complainOfAll, write, writeJson, writeLine } from "./output.ts";
import { openProgress } from "./progress.ts";
import { openRepairedOutput, type RepairedOutput } from "./repaired-output.ts";
import { usageError } from "./usage-error.ts";

export const check: Command = {
  name: "check",
  operands: "INPUT…",
  about:
    "Says for each request whether its provider would take it, which rules it breaks and what the gate would do. INPUT is " +
    "a file (.json, .jsonl), a folder, or - for stdin. Exit code 1 when a request is unsafe.",
  flags: [
    { name: "api", value: "ID", choices: APIS, about: "the API; detected from the shape without it" },
    { name: "backend", value: "ID", choices: BACKENDS, about: "who answers" },
    { name: "model", value: "ID", about: "the model, where the body does not carry it" },
    { name: "received", value: "FILE", about: "earlier exchanges of the session, a JSON array" },
    { name: "repair", about: "show all repairs, also those that wait for a 400" },
    {
      name: "output",
      short: "o",
      value: "PATH",
      about: "with --repair: write the bodies to a file, a folder, or - (stdout)",
    },
    { name: "format", value: "FORMAT", choices: ["text", "json", "sarif", "junit"], about: "how findings are printed" },
    { name: "json", about: "short for --format json" },
  ],
  run: runCheck,
};

interface CheckOptions {
  readonly hints: RequestHints;
  readonly received: readonly unknown[] | undefined;
  readonly repairs: boolean;
  readonly output: RepairedOutput | null;
  /** `none` where the bodies go to stdout: nothing else may stand there. */
  readonly format: string;
}

async function runCheck(invocation: Invocation): Promise<ExitCode> {
  const options = readOptions(invocation);
  const report = await openReport(options.format);
  const unreadable: string[] = [];
  let isUnsafe = false;
  let looked = 0;
  // Where each verdict is printed as it comes, that is progress enough.
  const progress = options.format === "text" && process.stdout.isTTY ? null : openProgress();
  for await (const input of readInputs(invocation.operands)) {
    progress?.show(() => `checking ${input.source}, ${looked} requests so far`);
    looked += 1;
    const checked = checkInput(input, options);
    if (checked.kind === "unreadable") {
      unreadable.push(checked.message);
      continue;
    }
    const { record } = checked;
    isUnsafe ||= record.verdict === "unsafe";
    report.add(record, checked.input);
    options.output?.write(checked.input, checked.body);
  }
  progress?.clear();
  report.end();
  complainOfAll(unreadable, "inputs that can't be judged");
  if (unreadable.length > 0) return EXIT.broken;
  return isUnsafe ? EXIT.findings : EXIT.fine;
}

function readOptions(invocation: Invocation): CheckOptions {
  const output = invocation.value("output");
  const format = invocation.isOn("json") ? "json" : (invocation.value("format") ?? "text");
  if (invocation.operands.length === 0) throw usageError("check needs an INPUT: a file, a folder, or - for stdin");
  if (output !== undefined && !invocation.isOn("repair")) throw usageError("-o writes repaired bodies; add --repair");
  if (output === "-" && format !== "text")
    throw usageError(`-o - and --format ${format} both write to stdout; give -o a file or a folder`);
  const api = invocation.value("api");
  const backend = invocation.value("backend");
  const model = invocation.value("model");
  const received = invocation.value("received");
  return {
    hints: {
      ...(isApi(api) && { api }),
      ...(isBackend(backend) && { backend }),
      ...(model !== undefined && { model }),
    },
    received: received === undefined ? undefined : readExchanges(received),
    repairs: invocation.isOn("repair"),
    output: output === undefined ? null : openRepairedOutput(output, invocation.operands),
    format: output === "-" ? "none" : format,
  };
}

function readExchanges(path: string): readonly unknown[] {
  const exchanges = parseArray(readText(path));
  if (exchanges === null) throw usageError(`--received ${path} is not a JSON array of exchanges`);
  return exchanges;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw usageError(`--received ${path}: ${describeFileFailure(error)}`);
  }
}

function parseArray(text: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

type CheckedInput =
  | { readonly kind: "checked"; readonly record: CheckRecord; readonly input: RequestInput; readonly body: Uint8Array }
  | { readonly kind: "unreadable"; readonly message: string };

function checkInput(input: Input, options: CheckOptions): CheckedInput {
  const place = input.line === null ? input.source : `${input.source}:${input.line}`;
  if (input.kind === "unreadable") return { kind: "unreadable", message: `${place}: ${input.message}` };
  const hints = { ...input.hints, ...options.hints, ...(options.received && { received: options.received }) };
  const judged = judgeBody(input.bytes, hints);
  if (judged.kind === "invalid-json") {
    const line = input.line ?? judged.line;
    return { kind: "unreadable", message: `${input.source}:${line}:${judged.column}: ${judged.message}` };
  }
  if (judged.kind === "unknown-api") {
    return { kind: "unreadable", message: `${place}: the shape fits no known API; name it with --api` };
  }
  const record = toCheckRecord(input, judged, options.repairs ? judged.allEdits : judged.edits);
  return { kind: "checked", record, input, body: judged.repaired ?? input.bytes };
}

interface Report {
  add(record: CheckRecord, input: RequestInput): void;
  end(): void;
}

async function openReport(format: string): Promise<Report> {
  const records: CheckRecord[] = [];
  switch (format) {
    case "json":
      return { add: (record) => records.push(record), end: () => writeJson(records) };
    case "text":
      return {
        add: (record) => {
          records.push(record);
          writeLine(describeRecord(record));
        },
        end: () => {
          if (records.length > 0) writeLine(describeTotals(records));
        },
      };
    case "sarif":
    case "junit": {
      const { FindingsReport } = await import("./check-findings.ts");
      const report = new FindingsReport(format);
      return { add: (record, input) => report.add(record, input), end: () => write(report.describe()) };
    }
    default:
      return { add: () => {}, end: () => {} };
  }
}
