import { basename } from "node:path";
import { billedUsdOf, isEmpty, orchestrationOf, type SideEntry, sideEntryOf, tierOf, usageOf } from "./entry-usage.ts";
import {
  hasLoneSurrogate,
  type JsonObject,
  listOf,
  mayHoldLoneSurrogate,
  objectOf,
  textOf,
  timeOf,
} from "./json-value.ts";
import { NumberTable } from "./number-table.ts";
import { type Fault, PairWindow, type Place } from "./pair-window.ts";
import type { RawRecord } from "./record-reader.ts";
import type { SessionResponses } from "./response-log.ts";
import type { RowIndex } from "./row-index.ts";
import { RowTree } from "./row-tree.ts";
import { habitOf, isToolName, ruleFamilyOf, toFindings } from "./rule-family.ts";
import type { FoldedSession, SessionFold } from "./session-fold.ts";
import { TextTable } from "./text-table.ts";
import type { FindingKind, ProvenCause } from "./transcript.ts";

/** Where the agents of the Pi family differ in what they make of their entries. */
export interface EntryHabit {
  /** Rows of failed answers stay in the file but not in the request. */
  readonly dropsFailedAnswers: boolean;
  /** Faults that the agent's own encoder repairs before it sends. */
  heals(what: FindingKind): boolean;
}

/** What of an entry matters once the file is read: a gigabyte of entries must fit, so rows of numbers hold it. */
const entryKind = { other: 0, message: 1, dropped: 2, compaction: 3, reset: 4 } as const;
const stepKinds = ["turn", "call", "result", "bad_name", "lone_surrogate"] as const;
type StepKind = (typeof stepKinds)[number];

const lane = "branch";

/**
 * Sessions of Pi and OMP: a tree of entries in one file. What is sent is the branch to the newest entry, from the kept
 * end of the last compaction on.
 */
export class EntryFold implements SessionFold {
  readonly #responses: SessionResponses;
  readonly #habit: EntryHabit;
  readonly #stem: string;
  readonly #rows: RowIndex;
  readonly #tree: RowTree;
  readonly #entries = new NumberTable([], ["kind", "firstStep", "steps"]);
  readonly #steps = new NumberTable([], ["line", "kind"]);
  readonly #stepIds = new TextTable();
  readonly #firstKept = new Map<number, string>();
  #sent: SentWindow | undefined;
  #sessionId: string | undefined;
  #api = "anthropic-messages";
  #model = "";
  #tiers: JsonObject | undefined;
  #leaf = -1;
  #lastAt = 0;
  #requestAt = Number.NaN;
  #changed: ProvenCause | undefined;

  constructor(path: string, rows: RowIndex, responses: SessionResponses, habit: EntryHabit) {
    this.#rows = rows;
    this.#tree = new RowTree(rows);
    this.#responses = responses;
    this.#habit = habit;
    this.#stem = basename(path).replace(/\.jsonl(\.zst)?$/, "");
  }

  visit(record: RawRecord): void {
    const row = record.value;
    const at = timeOf(row.timestamp);
    if (at > this.#lastAt) this.#lastAt = at;
    if (row.type === "session") this.#sessionId = textOf(row.id);
    if (typeof row.id !== "string" || row.type === "session") return;
    this.#leaf = record.row;
    this.#tree.add(record.row, row.parentId === null ? null : textOf(row.parentId));
    while (this.#entries.count <= record.row) this.#entries.add({ kind: entryKind.other, firstStep: 0, steps: 0 });
    const beside = sideEntryOf(row);
    if (beside !== undefined) this.#addSideCall(record, at, beside);
    switch (row.type) {
      case "message":
        this.#readMessage(record, objectOf(row.message) ?? {}, at);
        break;
      case "compaction":
        this.#cut(entryKind.compaction);
        this.#firstKept.set(this.#leaf, String(row.firstKeptEntryId));
        break;
      case "reset_boundary":
        this.#cut(entryKind.reset);
        break;
      case "context_edit":
        this.#edit(record);
        break;
      case "service_tier_change":
        this.#tiers = objectOf(row.serviceTier);
        break;
      case "thinking_level_change":
        this.#changed = { cause: "settings", detail: "thinking level" };
        break;
      default:
    }
  }

  lastAt(): number {
    return this.#lastAt;
  }

  hasCallAtEnd(): boolean {
    const { window, lastTurn } = this.#window();
    return window.openCalls.some((call) => call.row >= lastTurn);
  }

  finish(live: boolean): FoldedSession {
    this.#responses.close();
    const family = ruleFamilyOf(this.#api);
    const { window, lastTurn } = this.#window();
    const isRunning = (fault: Fault) => live && fault.what === "open_call" && fault.row >= lastTurn;
    const faults = window.faults().filter((fault) => !isRunning(fault));
    return {
      id: this.#sessionId ?? this.#stem,
      findings: toFindings(faults, family, (fault) => this.#habit.heals(fault.what)),
      habit: habitOf(family),
    };
  }

  #readMessage(record: RawRecord, message: JsonObject, at: number): void {
    this.#setMessage(this.#leaf, record, message);
    if (message.role !== "assistant") {
      this.#requestAt = at;
      return;
    }
    this.#api = textOf(message.api) ?? textOf(message.provider) ?? this.#api;
    const usage = objectOf(message.usage);
    if (usage !== undefined) this.#readUsage(record, message, usage, at);
  }

  #readUsage(record: RawRecord, message: JsonObject, told: JsonObject, at: number): void {
    this.#model = textOf(message.model) ?? "";
    const beside = orchestrationOf(told);
    if (!isEmpty(beside)) this.#addSideCall(record, at, { model: this.#model, usage: beside, billedUsd: undefined });
    const usage = usageOf(told);
    if (isEmpty(usage)) return;
    const { input, output, cacheRead, cacheWrite } = usage;
    const index = this.#responses.add({
      // A fork keeps ids, times and usage. Ids alone repeat: they are short, and some providers count from one.
      key: [record.value.id, message.responseId, at, input, output, cacheRead, cacheWrite].join(" "),
      weakKey: undefined,
      line: record.line,
      at,
      requestAt: this.#requestAt,
      model: this.#model,
      usage,
      tier: tierOf(this.#tiers, message),
      billedUsd: billedUsdOf(told),
      lane,
      previous: this.#tree.responseBefore(this.#leaf),
      stopped: true,
      sidechain: false,
      copy: false,
      proven: this.#changed,
    });
    this.#changed = undefined;
    this.#tree.setResponse(this.#leaf, index);
  }

  #addSideCall({ value, line }: RawRecord, at: number, { model, usage, billedUsd }: SideEntry): void {
    const { input, output, cacheRead, cacheWrite } = usage;
    this.#responses.add({
      key: ["beside", value.id, at, input, output, cacheRead, cacheWrite].join(" "),
      weakKey: undefined,
      ...{ line, at, usage, billedUsd, lane, sideCall: true },
      requestAt: Number.NaN,
      model: model ?? this.#model,
      previous: -1,
      stopped: true,
      sidechain: false,
      copy: false,
      proven: undefined,
    });
  }

  #setMessage(row: number, record: RawRecord, message: JsonObject): void {
    const first = this.#stepIds.count;
    const step = (kind: StepKind, id: unknown) => {
      this.#steps.add({ line: record.line, kind: stepKinds.indexOf(kind) });
      this.#stepIds.add(String(id));
    };
    if (message.role === "toolResult") step("result", message.toolCallId);
    else if (message.role !== "system") step("turn", "");
    for (const part of listOf(message.content)) {
      const call = objectOf(part);
      if (call?.type !== "toolCall") continue;
      step("call", call.id);
      if (!isToolName(call.name)) step("bad_name", call.id);
    }
    if (mayHoldLoneSurrogate(record.text) && hasLoneSurrogate(message.content)) step("lone_surrogate", record.value.id);
    const failed = message.stopReason === "error" || message.stopReason === "aborted";
    const dropped = failed && this.#habit.dropsFailedAnswers;
    this.#entries.set(row, "kind", dropped ? entryKind.dropped : entryKind.message);
    this.#entries.set(row, "firstStep", first);
    this.#entries.set(row, "steps", this.#stepIds.count - first);
  }

  #cut(kind: number): void {
    this.#entries.set(this.#leaf, "kind", kind);
    this.#tree.setResponse(this.#leaf, -1);
  }

  /** An edit of an earlier entry counts from the next request on. */
  #edit(record: RawRecord): void {
    this.#changed = { cause: "history_rewritten", detail: "context edit" };
    const target = this.#rows.find(textOf(record.value.targetId));
    if (target === undefined || this.#entries.get(target, "kind") !== entryKind.message) return;
    const replacement = objectOf(record.value.replacement);
    const message = objectOf(replacement?.message) ?? replacement;
    if (message === undefined) this.#entries.set(target, "kind", entryKind.dropped);
    else if (Array.isArray(message.content)) this.#setMessage(target, record, message);
  }

  /** The pairs of the next request. Row numbers are places on the branch. */
  #window(): SentWindow {
    if (this.#sent !== undefined) return this.#sent;
    const window = new PairWindow();
    let lastTurn = 0;
    for (const [row, entry] of this.#sentRows().entries()) {
      if (this.#entries.get(entry, "kind") !== entryKind.message) continue;
      const first = this.#entries.get(entry, "firstStep");
      for (let step = first; step < first + this.#entries.get(entry, "steps"); step++) {
        const kind = stepKinds[this.#steps.get(step, "kind")]!;
        const place: Place = { row, line: this.#steps.get(step, "line"), file: undefined, id: this.#stepIds.get(step) };
        if (kind === "turn") lastTurn = row;
        else if (kind === "call") window.call(place);
        else if (kind === "result") window.result(place);
        else window.fault({ ...place, what: kind });
      }
    }
    this.#sent = { window, lastTurn };
    return this.#sent;
  }

  /** The rows of the live branch that the last compaction kept, and those behind it. */
  #sentRows(): readonly number[] {
    const path = this.#tree.pathTo(this.#leaf);
    const cut = path.findLastIndex((row) => this.#entries.get(row, "kind") >= entryKind.compaction);
    if (cut === -1) return path;
    const firstKept = this.#rows.find(this.#firstKept.get(path[cut]!));
    const kept = firstKept === undefined ? -1 : path.indexOf(firstKept);
    return kept === -1 ? path.slice(cut + 1) : [...path.slice(kept, cut), ...path.slice(cut + 1)];
  }
}

interface SentWindow {
  readonly window: PairWindow;
  readonly lastTurn: number;
}
