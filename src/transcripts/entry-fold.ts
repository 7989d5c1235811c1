import { basename } from "node:path";
import { anthropicHabit, openaiHabit } from "./cache-breaks.ts";
import { countOf, hasLoneSurrogate, type JsonObject, listOf, objectOf, textOf, timeOf } from "./json-value.ts";
import { type Fault, PairWindow, type Place } from "./pair-window.ts";
import type { RawRecord } from "./record-reader.ts";
import type { SessionResponses } from "./response-log.ts";
import { RowTree } from "./row-tree.ts";
import { isToolName, ruleFamilyOf, toFindings } from "./rule-family.ts";
import type { FoldedSession, SessionFold } from "./session-fold.ts";
import type { FindingKind, ProvenCause, TokenUsage } from "./transcript.ts";

/** Where the agents of the Pi family differ in what they make of their entries. */
export interface EntryHabit {
  /** Rows of failed answers stay in the file but not in the request. */
  readonly dropsFailedAnswers: boolean;
  /** Faults that the agent's own encoder repairs before it sends. */
  heals(what: FindingKind): boolean;
}

/** What of an entry matters once the file is read: few numbers and ids, no text. */
type Entry =
  | { readonly kind: "message"; readonly dropped: boolean; readonly steps: readonly Step[] }
  | { readonly kind: "compaction"; readonly firstKept: string | undefined }
  | { readonly kind: "reset" };

interface Step {
  readonly line: number;
  readonly id: string;
  readonly what: "call" | "result" | "turn" | FindingKind;
}

const lane = "branch";

/**
 * Sessions of Pi and OMP: a tree of entries in one file. What is sent is the branch to the newest entry, from the kept
 * end of the last compaction on.
 */
export class EntryFold implements SessionFold {
  readonly #responses: SessionResponses;
  readonly #habit: EntryHabit;
  readonly #stem: string;
  readonly #tree = new RowTree();
  readonly #entries = new Map<number, Entry>();
  #sessionId: string | undefined;
  #api = "anthropic-messages";
  #leaf = -1;
  #lastAt = 0;
  #requestAt = Number.NaN;
  #changed: ProvenCause | undefined;

  constructor(path: string, responses: SessionResponses, habit: EntryHabit) {
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
    this.#leaf = this.#tree.add(row.id, row.parentId === null ? null : textOf(row.parentId));
    switch (row.type) {
      case "message":
        this.#readMessage(record, objectOf(row.message) ?? {}, at);
        break;
      case "compaction":
        this.#cut({ kind: "compaction", firstKept: textOf(row.firstKeptEntryId) });
        break;
      case "reset_boundary":
        this.#cut({ kind: "reset" });
        break;
      case "context_edit":
        this.#edit(record);
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
      habit: family === "A" || family === "B" ? anthropicHabit : openaiHabit,
    };
  }

  #readMessage(record: RawRecord, message: JsonObject, at: number): void {
    this.#entries.set(this.#leaf, this.#toEntry(record, message));
    if (message.role !== "assistant") {
      this.#requestAt = at;
      return;
    }
    this.#api = textOf(message.api) ?? textOf(message.provider) ?? this.#api;
    const usage = objectOf(message.usage);
    if (usage !== undefined) this.#readUsage(record, message, usageOf(usage), at);
  }

  #readUsage(record: RawRecord, message: JsonObject, usage: TokenUsage, at: number): void {
    const { input, output, cacheRead, cacheWrite } = usage;
    if (input + output + cacheRead + cacheWrite === 0) return;
    const index = this.#responses.add({
      // A fork keeps ids, times and usage. Ids alone repeat: they are short, and some providers count from one.
      key: [record.value.id, message.responseId, at, input, output, cacheRead, cacheWrite].join(" "),
      weakKey: undefined,
      line: record.line,
      at,
      requestAt: this.#requestAt,
      model: textOf(message.model) ?? "",
      usage,
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

  #toEntry(record: RawRecord, message: JsonObject): Entry {
    const { line } = record;
    const steps: Step[] = [];
    if (message.role === "toolResult") steps.push({ line, id: String(message.toolCallId), what: "result" });
    else if (message.role !== "system") steps.push({ line, id: "", what: "turn" });
    for (const part of listOf(message.content)) {
      const call = objectOf(part);
      if (call?.type !== "toolCall") continue;
      steps.push({ line, id: String(call.id), what: "call" });
      if (!isToolName(call.name)) steps.push({ line, id: String(call.id), what: "bad_name" });
    }
    if (/\\u[dD][89a-fA-F]/.test(record.text) && hasLoneSurrogate(message.content)) {
      steps.push({ line, id: String(record.value.id), what: "lone_surrogate" });
    }
    const failed = message.stopReason === "error" || message.stopReason === "aborted";
    return { kind: "message", dropped: failed && this.#habit.dropsFailedAnswers, steps };
  }

  #cut(entry: Entry): void {
    this.#entries.set(this.#leaf, entry);
    this.#tree.setResponse(this.#leaf, -1);
  }

  /** An edit of an earlier entry counts from the next request on. */
  #edit(record: RawRecord): void {
    this.#changed = { cause: "history_rewritten", detail: "context edit" };
    const target = this.#tree.find(textOf(record.value.targetId));
    const entry = target === undefined ? undefined : this.#entries.get(target);
    if (target === undefined || entry?.kind !== "message") return;
    const replacement = objectOf(record.value.replacement);
    const message = objectOf(replacement?.message) ?? replacement;
    if (message === undefined) this.#entries.set(target, { ...entry, dropped: true });
    else if (Array.isArray(message.content)) this.#entries.set(target, this.#toEntry(record, message));
  }

  /** The pairs of the next request. Row numbers are places on the branch. */
  #window(): { readonly window: PairWindow; readonly lastTurn: number } {
    const window = new PairWindow();
    let lastTurn = 0;
    for (const [row, entry] of this.#sent().entries()) {
      if (entry.kind !== "message" || entry.dropped) continue;
      for (const { line, id, what } of entry.steps) {
        const place: Place = { row, line, file: undefined, id };
        if (what === "turn") lastTurn = row;
        else if (what === "call") window.call(place);
        else if (what === "result") window.result(place);
        else window.fault({ ...place, what });
      }
    }
    return { window, lastTurn };
  }

  /** The entries of the live branch that the last compaction kept, and those behind it. */
  #sent(): readonly Entry[] {
    const path = this.#tree.pathTo(this.#leaf);
    const entryAt = (row: number): Entry[] => {
      const entry = this.#entries.get(row);
      return entry === undefined ? [] : [entry];
    };
    const cut = path.findLastIndex((row) => {
      const kind = this.#entries.get(row)?.kind;
      return kind === "compaction" || kind === "reset";
    });
    if (cut === -1) return path.flatMap(entryAt);
    const entry = this.#entries.get(path[cut]!)!;
    const firstKept = entry.kind === "compaction" ? path.indexOf(this.#tree.find(entry.firstKept) ?? -1) : -1;
    const kept = firstKept === -1 ? [] : path.slice(firstKept, cut);
    return [...kept, ...path.slice(cut + 1)].flatMap(entryAt);
  }
}

function usageOf(usage: JsonObject): TokenUsage {
  return {
    input: countOf(usage.input),
    output: countOf(usage.output),
    cacheRead: countOf(usage.cacheRead),
    cacheWrite: countOf(usage.cacheWrite),
    cacheWrite1h: countOf(usage.cacheWrite1h),
  };
}
