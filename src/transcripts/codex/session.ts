import { basename } from "node:path";
import { openaiHabit } from "../cache-breaks.ts";
import { type JsonObject, listOf, objectOf, textOf, timeOf } from "../json-value.ts";
import { PairWindow, type Place } from "../pair-window.ts";
import type { RawRecord } from "../record-reader.ts";
import type { SessionResponses } from "../response-log.ts";
import { toFindings } from "../rule-family.ts";
import type { FoldedSession, JsonlAgent, SessionFold } from "../session-fold.ts";
import type { TokenUsage } from "../transcript.ts";
import { homes } from "./home.ts";
import { owns, rules } from "./row.ts";
import { TokenCounts, tierOf, usageOf } from "./usage.ts";

export const codex: JsonlAgent = {
  agent: "codex",
  rules,
  homes,
  owns,
  openFold: (path, _rows, responses) => new CodexFold(path, responses),
};

const lane = "thread";
const callTypes = new Set(["function_call", "custom_tool_call", "local_shell_call", "tool_search_call"]);
const outputTypes = new Set(["function_call_output", "custom_tool_call_output", "tool_search_output"]);
/** A fork copies its parent's rows within a moment, each stamped anew; work of its own does not come that close. */
const copyBurstMs = 1000;

class CodexFold implements SessionFold {
  readonly #responses: SessionResponses;
  readonly #stem: string;
  readonly #window = new PairWindow();
  readonly #counts = new TokenCounts();
  /** Row numbers where a user turn begins, for roll-backs. */
  #turnStarts: number[] = [];
  #row = 0;
  #lastTurn = 0;
  #threadId: string | undefined;
  #parentId: string | undefined;
  #counted = 0;
  #lastKey: string | undefined;
  #model = "";
  /** Undefined for the standard tier. */
  #tier: string | undefined;
  #requestAt = Number.NaN;
  #lastAt = 0;
  #hasUsageRecords = false;
  /** Searches of the provider's own since the last count of tokens; the next one is of the response that made them. */
  #webSearches = 0;
  #inherits: Inheritance = { kind: "none" };

  constructor(path: string, responses: SessionResponses) {
    this.#responses = responses;
    this.#stem = basename(path).replace(/\.jsonl(\.zst)?$/, "");
  }

  visit(record: RawRecord): void {
    const { value } = record;
    const payload = objectOf(value.payload);
    if (payload === undefined) return;
    const at = timeOf(value.timestamp);
    if (at > this.#lastAt) this.#lastAt = at;
    this.#row += 1;
    this.#settleInheritance(value, at);
    switch (value.type) {
      case "session_meta":
        this.#readMeta(payload, at);
        break;
      case "turn_context":
        this.#model = textOf(payload.model) ?? this.#model;
        break;
      case "response_item":
        this.#readItem(payload, record, at);
        break;
      case "compacted":
        this.#compact(payload, record);
        break;
      case "token_usage_record":
        this.#readUsageRecord(payload, record, at);
        break;
      case "event_msg":
        this.#readEvent(payload, record, at);
        break;
      default:
    }
  }

  lastAt(): number {
    return this.#lastAt;
  }

  hasCallAtEnd(): boolean {
    return this.#window.openCalls.some((call) => call.row >= this.#lastTurn);
  }

  finish(live: boolean): FoldedSession {
    this.#responses.close();
    const faults = this.#window
      .faults()
      .filter((fault) => !(live && fault.what === "open_call" && fault.row >= this.#lastTurn));
    // Every version sends an "aborted" output for an open call, and none writes it into the file.
    const findings = toFindings(faults, "R", (fault) => fault.what === "open_call");
    return { id: this.#threadId ?? this.#stem, findings, habit: openaiHabit };
  }

  /** The first row names this thread; a second one is the parent's, copied in. */
  #readMeta(payload: JsonObject, at: number): void {
    if (this.#threadId !== undefined) return;
    this.#threadId = textOf(payload.id);
    this.#parentId = textOf(payload.forked_from_id);
    const start = payload.subagent_history_start_ordinal;
    const spawn = objectOf(objectOf(objectOf(payload.source)?.subagent)?.thread_spawn);
    if (typeof start === "number") this.#inherits = { kind: "until_ordinal", ordinal: start };
    // A fork that points at its parent holds no copies.
    else if (objectOf(payload.history_base) !== undefined) return;
    else if (spawn !== undefined || typeof payload.forked_from_id === "string") {
      this.#inherits = { kind: "until_pause", copiedAt: at };
    }
  }

  /** Usage of inherited rows was paid by the parent. Their items are sent, so pairs are read from them. */
  #settleInheritance(value: JsonObject, at: number): void {
    const state = this.#inherits;
    if (state.kind === "until_ordinal" && Number(value.ordinal) >= state.ordinal) this.#inherits = { kind: "none" };
    if (state.kind !== "until_pause") return;
    // Copies are written in one go; the first answer of the child's own takes longer.
    const isCopy = at - state.copiedAt <= copyBurstMs;
    this.#inherits = isCopy ? { kind: "until_pause", copiedAt: at } : { kind: "none" };
  }

  #readItem(item: JsonObject, record: RawRecord, at: number): void {
    const type = String(item.type);
    const id = textOf(item.call_id);
    if (type === "message" && item.role === "user") {
      this.#turnStarts.push(this.#row);
      this.#lastTurn = this.#row;
      this.#requestAt = at;
    }
    if (type === "web_search_call" && isSearch(item) && this.#inherits.kind === "none") this.#webSearches += 1;
    // Harness context comes as an output without any call id; that is no orphan.
    if (id === undefined) return;
    const place: Place = { row: this.#row, line: record.line, file: undefined, id };
    if (callTypes.has(type)) {
      this.#window.call(place);
      const name = textOf(item.name);
      if (name !== undefined && !/^[a-zA-Z0-9_-]+$/.test(name)) this.#window.fault({ ...place, what: "bad_name" });
    }
    if (outputTypes.has(type)) {
      this.#window.result(place);
      this.#requestAt = at;
    }
  }

  /** From here on the request holds the replacement and what follows it. The answer that made it is named in newer files. */
  #compact(payload: JsonObject, record: RawRecord): void {
    const made = textOf(payload.compaction_response_id);
    if (made !== undefined && made === this.#lastKey) this.#responses.expectNothing(this.#responses.lastIn(lane));
    this.#responses.markBoundary(lane);
    this.#window.cutBefore(this.#row);
    this.#turnStarts = [];
    for (const item of listOf(payload.replacement_history)) {
      this.#row += 1;
      this.#readItem(objectOf(item) ?? {}, record, Number.NaN);
    }
  }

  #readUsageRecord(payload: JsonObject, record: RawRecord, at: number): void {
    this.#hasUsageRecords = true;
    const usage = objectOf(payload.usage);
    if (usage === undefined) return;
    this.#add(String(payload.response_id), usageOf(usage), record, at, payload.thread_id !== this.#threadId);
  }

  #readEvent(event: JsonObject, record: RawRecord, at: number): void {
    if (event.type === "thread_rolled_back") this.#rollBack(Number(event.num_turns));
    if (event.type === "thread_settings_applied") this.#applySettings(objectOf(event.thread_settings) ?? {});
    if (event.type !== "token_count" || this.#hasUsageRecords) return;
    const usage = this.#counts.read(objectOf(event.info));
    if (usage === undefined) return;
    this.#counted += 1;
    if (this.#inherits.kind !== "none") return;
    // A copy in a fork has its parent's place and totals, so it gets its parent's key.
    const key = `${this.#parentId ?? this.#threadId ?? this.#stem} ${this.#counted} ${this.#counts.total}`;
    this.#add(key, usage, record, at, this.#parentId !== undefined);
  }

  /** All settings, as they are from here on; a tier that is not named is the standard one. What a fork inherits sets nothing. */
  #applySettings(settings: JsonObject): void {
    if (this.#inherits.kind !== "none") return;
    this.#tier = tierOf(settings);
    if (this.#model === "") this.#model = textOf(settings.model) ?? "";
  }

  #rollBack(turns: number): void {
    const from = this.#turnStarts.at(-turns);
    if (!(turns > 0) || from === undefined) return;
    this.#window.cutFrom(from);
    this.#turnStarts.length -= Math.min(turns, this.#turnStarts.length);
    this.#responses.markBoundary(lane);
  }

  #add(key: string, usage: TokenUsage, record: RawRecord, at: number, copy: boolean): void {
    this.#lastKey = key;
    this.#responses.add({
      key,
      weakKey: undefined,
      line: record.line,
      at,
      requestAt: this.#requestAt,
      model: this.#model,
      tier: this.#tier,
      usage: { ...usage, webSearches: this.#webSearches },
      lane,
      previous: this.#responses.lastIn(lane),
      stopped: true,
      sidechain: false,
      copy,
      proven: undefined,
    });
    this.#webSearches = 0;
  }
}

/** Opening a page and looking for words in it are no searches. */
function isSearch(item: JsonObject): boolean {
  const action = textOf(objectOf(item.action)?.type);
  return action === undefined || action === "search";
}

/** Which rows at the beginning of a file are another thread's. */
type Inheritance =
  | { readonly kind: "none" }
  | { readonly kind: "until_ordinal"; readonly ordinal: number }
  | { readonly kind: "until_pause"; readonly copiedAt: number };
