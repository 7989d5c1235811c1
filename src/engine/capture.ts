/**
 * What is worth looking at later (DG-71): a structure that the gate does not know, a violation, a rejection by the provider,
 * a degraded turn. Each leaves a record without content, behind the request path. Where bodies are switched on, a port of
 * the engine takes the body too, and redacts it before it is kept.
 */
import type { Verdict } from "../dispatch/verdict.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { parsePointer, toPointer } from "../lib/json-pointer.ts";
import type { Api, Backend } from "../wire/api.ts";
import type { RequestRecord } from "./engine.ts";
import type { Journal } from "./journal.ts";
import { softOf } from "./judge-request.ts";
import type { PreparedHistory } from "./shape-watch.ts";

/** Keeps redacted bodies. Returns at once, copies what it is given, and never throws. */
export interface BodyCapture {
  capture(body: CapturedBody, ended: (result: string) => void): void;
  close(): Promise<void>;
}

export interface CapturedBody {
  readonly bytes: Uint8Array;
  readonly api: Api;
  readonly backend: Backend;
  readonly model: string | null;
  readonly rejected?: Rejected;
  /** What the host made the body of, where it shows that. */
  readonly prepared?: Pick<PreparedHistory, "host" | "rows">;
}

/** A provider's 4xx, and the rule whose words it carries. */
export interface Rejected {
  readonly status: number;
  readonly rule: string | null;
}

export interface CaptureRecord {
  readonly v: 1;
  readonly reasons: readonly CaptureReason[];
  readonly upstream: string;
  readonly api: Api | null;
  readonly backend: Backend;
  readonly model: string | null;
  readonly lane: string | null;
  readonly bytes: number;
  readonly rows: number;
  readonly verdict: Verdict["kind"];
  readonly outcome: RequestRecord["outcome"];
  /** Rules and soft classes, each once with its first place and how often it occurs. */
  readonly faults: readonly CapturedFault[];
  readonly rejected: Rejected | null;
}

export type CaptureReason = "unmodelled" | "hard" | "degraded" | "rejected";

interface CapturedFault {
  readonly name: string;
  readonly place: string;
  readonly count: number;
}

const STREAM = "engine/captures";

/** A store keeps as many records as somebody will ever look through; further ones are counted only. */
const RECORDS_MAX = 2_000;

/** The same thing in the same lane is recorded once; forgetting an old lane costs one more record. */
const SEEN_MAX = 5_000;

/** Statuses that are about the request and not about the account or the hour. */
const BODY_STATUSES = new Set([400, 413, 422]);

type Count = (name: string, labels?: Readonly<Record<string, string>>) => void;

export class Captures {
  readonly #journal: Journal;
  readonly #count: Count;
  readonly #bodies: BodyCapture | null;
  readonly #seen = new BoundedMap<string, true>(SEEN_MAX);
  #records = 0;

  /** @param bodies null where only records without content are kept */
  constructor(journal: Journal, count: Count, bodies: BodyCapture | null) {
    this.#journal = journal;
    this.#count = count;
    this.#bodies = bodies;
  }

  async load(): Promise<void> {
    await this.#journal.follow<CaptureRecord>(STREAM, () => {
      this.#records += 1;
    });
  }

  /**
   * @param bytes the body as the host made it
   * @param prepared the host's own rows, where a difference to them may be all that is to be seen
   * @returns whether a record was written: the same thing in the same lane is one record
   */
  ofRequest(record: RequestRecord, bytes: Uint8Array, prepared?: PreparedHistory): boolean {
    const reasons: CaptureReason[] = [];
    if (softOf(record.verdict).some((soft) => soft.class === "unmodelled")) reasons.push("unmodelled");
    if (record.verdict.kind === "unsafe") reasons.push("hard");
    if (record.outcome === "degraded") reasons.push("degraded");
    return reasons.length > 0 && this.#take(toRecord(record, reasons, null), bytes, prepared);
  }

  ofRejection(record: RequestRecord, bytes: Uint8Array, rejected: Rejected): void {
    this.#take(toRecord(record, ["rejected"], rejected), bytes);
  }

  async close(): Promise<void> {
    await this.#bodies?.close();
  }

  #take(record: CaptureRecord, bytes: Uint8Array, prepared?: PreparedHistory): boolean {
    const { bytes: _, rows: __, ...shape } = record;
    const key = JSON.stringify(shape);
    if (this.#seen.get(key)) {
      this.#count("capture_repeated");
      return false;
    }
    this.#seen.set(key, true);
    this.#keepRecord(record);
    if (record.rejected === null || BODY_STATUSES.has(record.rejected.status)) this.#keepBody(record, bytes, prepared);
    return true;
  }

  #keepRecord(record: CaptureRecord): void {
    if (this.#records >= RECORDS_MAX) {
      this.#count("capture_dropped");
      return;
    }
    this.#records += 1;
    this.#journal.write(STREAM, "request.capture.recorded", record);
  }

  #keepBody({ api, backend, model, rejected }: CaptureRecord, bytes: Uint8Array, prepared?: PreparedHistory): void {
    if (this.#bodies === null || api === null) return;
    const body = { bytes, api, backend, model, ...(rejected && { rejected }), ...(prepared && { prepared }) };
    this.#bodies.capture(body, (result) => this.#count("capture_body", { result }));
  }
}

function toRecord(record: RequestRecord, reasons: readonly CaptureReason[], rejected: Rejected | null): CaptureRecord {
  const { upstream, api, backend, model, lane, bytes, rows, verdict, outcome } = record;
  const hard = verdict.kind === "unsafe" ? verdict.hard.map(({ rule, path }) => ({ name: rule, path, count: 1 })) : [];
  const soft = softOf(verdict).map(({ class: name, path, count }) => ({ name, path, count }));
  const faults = sumByName([...hard, ...soft]);
  const target = { upstream, api, backend, model, lane, bytes, rows };
  return { v: 1, reasons, ...target, verdict: verdict.kind, outcome, faults, rejected };
}

function sumByName(found: readonly { name: string; path: string; count: number }[]): CapturedFault[] {
  const faults = new Map<string, CapturedFault>();
  for (const { name, path, count } of found) {
    const known = faults.get(name);
    faults.set(name, { name, place: known?.place ?? placeOf(path), count: (known?.count ?? 0) + count });
  }
  return [...faults.values()];
}

/** The part of a path that names the protocol's own lists: behind it come names that may be somebody's. */
function placeOf(path: string): string {
  const steps = parsePointer(path);
  // Only at the front is `input` the history; further in it holds the arguments of a call.
  const isKnown = (step: string, index: number) =>
    /^\d+$/.test(step) || (LISTS.has(step) && (step !== "input" || index === 0));
  const end = steps.findIndex((step, index) => !isKnown(step, index));
  return toPointer(end === -1 ? steps : steps.slice(0, end));
}

const LISTS = new Set(["messages", "input", "contents", "content", "parts", "system", "tools", "tool_calls"]);
