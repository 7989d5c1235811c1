import { basename } from "node:path";
import { anthropicHabit } from "../cache-breaks.ts";
import {
  hasLoneSurrogate,
  type JsonObject,
  listOf,
  mayHoldLoneSurrogate,
  objectOf,
  textOf,
  timeOf,
} from "../json-value.ts";
import { type Fault, PairWindow, type Place } from "../pair-window.ts";
import type { RawRecord } from "../record-reader.ts";
import type { SessionResponses } from "../response-log.ts";
import type { RowIndex } from "../row-index.ts";
import { RowTree } from "../row-tree.ts";
import { isToolName, toFindings } from "../rule-family.ts";
import type { FoldedSession, JsonlAgent, SessionFold } from "../session-fold.ts";
import type { ModelResponse } from "../transcript.ts";
import { homes } from "./home.ts";
import { diagnosedCause, RequestLog } from "./request-log.ts";
import { owns, rules } from "./row.ts";
import { type Iteration, iterationsBeside, tierOf, usageOf } from "./usage.ts";

export const claudeCode: JsonlAgent = {
  agent: "claude-code",
  rules,
  homes,
  owns,
  openFold: (path, rows, responses) => new ClaudeCodeFold(path, rows, responses),
};

/** From this version on the host writes a result for an interrupted call and leaves orphan results out. */
const healsFrom = [2, 1, 306] as const;
const mainLane = "main";

class ClaudeCodeFold implements SessionFold {
  readonly #responses: SessionResponses;
  readonly #stem: string;
  readonly #rows: RowIndex;
  readonly #tree: RowTree;
  readonly #requests = new RequestLog();
  readonly #pairs = new PairWindow();
  #sessionId: string | undefined;
  #version = "";
  /** Time of the row that is being read. */
  #rowAt = Number.NaN;
  #lastAt = 0;
  #ownSince = Number.NaN;
  #lastPromptAt = Number.NaN;
  #lastChained = -1;
  /** Where the newest prompt or model message begins: what stands behind it belongs to the turn at the end. */
  #lastTurn = -1;
  #lastMessageId: string | undefined;
  #reportedCostUsd: number | undefined;

  constructor(path: string, rows: RowIndex, responses: SessionResponses) {
    this.#rows = rows;
    this.#tree = new RowTree(rows);
    this.#responses = responses;
    this.#stem = basename(path).replace(/\.jsonl(\.zst)?$/, "");
  }

  visit(record: RawRecord): void {
    const row = record.value;
    this.#requests.visit(row);
    this.#readEnvelope(row);
    // Each counts from the beginning, so the last one holds.
    if (row.type === "cost-state" && typeof row.totalCostUSD === "number") this.#reportedCostUsd = row.totalCostUSD;
    if (typeof row.uuid !== "string") return;
    const at = record.row;
    this.#tree.add(at, row.parentUuid === null ? null : textOf(row.parentUuid));
    if (row.type === "system" && row.subtype === "compact_boundary") this.#compact(row, at);
    if (row.type === "attachment") this.#lastPromptAt = this.#rowAt;
    const message = objectOf(row.message);
    if (message === undefined) return;
    if (row.type === "user") this.#lastPromptAt = this.#rowAt;
    // The host fills in rows of its own for errors and interruptions; nobody was asked and nobody paid.
    const isFiller = message.model === "<synthetic>";
    if (!this.#isSide(row)) {
      this.#markTurn(row, message, at);
      if (!isFiller) this.#readPairs(record, message);
    }
    if (row.type === "assistant" && !isFiller) this.#readUsage(record, message, at);
  }

  lastAt(): number {
    return this.#lastAt;
  }

  hasCallAtEnd(): boolean {
    return this.#pairs.openCalls.some((call) => this.#isAtEnd(call));
  }

  finish(live: boolean): FoldedSession {
    this.#responses.close(this.#ownSince);
    const sent = this.#tree.branchTo(this.#lastChained);
    // Nobody resumes a sub-agent that was cut off, so its last call stays open without harm.
    const atWork = live || this.#isAgentFile;
    const faults = this.#pairs
      .faults()
      .filter((fault) => this.#isSent(fault, sent) && !(atWork && fault.what === "open_call" && this.#isAtEnd(fault)));
    const findings = toFindings(faults, "A", (fault) => this.#healsItself(fault));
    const reported = this.#reportedCostUsd === undefined ? {} : { reportedCostUsd: this.#reportedCostUsd };
    return { id: this.#sessionId ?? this.#stem, findings, habit: anthropicHabit, ...reported };
  }

  #readEnvelope(row: JsonObject): void {
    const at = timeOf(row.timestamp);
    this.#rowAt = at;
    if (at > this.#lastAt) this.#lastAt = at;
    if (typeof row.version === "string") this.#version = row.version;
    // Files of sub-agents carry the parent's session id, so they are known by their own name.
    if (!this.#isAgentFile) this.#sessionId = textOf(row.sessionId) ?? this.#sessionId;
    // A process says hello in the queue before it writes rows of its own: what is older was copied in by a fork.
    if (row.type === "queue-operation" && Number.isNaN(this.#ownSince)) this.#ownSince = at;
  }

  get #isAgentFile(): boolean {
    return this.#stem.startsWith("agent-");
  }

  /** Old versions keep side chains in the main file. In the file of a sub-agent every row says so, and it is the chain. */
  #isSide(row: JsonObject): boolean {
    return row.isSidechain === true && !this.#isAgentFile;
  }

  /** Only what the boundary names as kept is sent behind it. */
  #compact(row: JsonObject, at: number): void {
    this.#responses.markBoundary(mainLane);
    const metadata = objectOf(row.compactMetadata);
    const kept = listOf(objectOf(metadata?.preservedMessages)?.uuids);
    const head = objectOf(metadata?.preservedSegment)?.headUuid;
    const rows = [...kept, head].map((uuid) => this.#rows.find(textOf(uuid))).filter((found) => found !== undefined);
    this.#pairs.cutBefore(Math.min(at, ...rows));
  }

  #markTurn(row: JsonObject, message: JsonObject, at: number): void {
    this.#lastChained = at;
    const isResult = listOf(message.content).some((block) => objectOf(block)?.type === "tool_result");
    const isSameMessage = row.type === "assistant" && message.id === this.#lastMessageId;
    if (isResult || isSameMessage) return;
    this.#lastTurn = at;
    this.#lastMessageId = textOf(message.id);
  }

  #readPairs(record: RawRecord, message: JsonObject): void {
    const { row, line } = record;
    for (const content of listOf(message.content)) {
      const block = objectOf(content);
      if (block?.type === "tool_result") {
        this.#pairs.result({ row, line, file: undefined, id: String(block.tool_use_id) });
      }
      if (block?.type !== "tool_use") continue;
      const place: Place = { row, line, file: undefined, id: String(block.id) };
      this.#pairs.call(place);
      if (!isToolName(block.name)) this.#pairs.fault({ ...place, what: "bad_name" });
    }
    if (mayHoldLoneSurrogate(record.text) && hasLoneSurrogate(message.content)) {
      this.#pairs.fault({ row, line, file: undefined, id: String(record.value.uuid), what: "lone_surrogate" });
    }
  }

  #readUsage(record: RawRecord, message: JsonObject, at: number): void {
    const usage = objectOf(message.usage);
    if (usage === undefined) return;
    const row = record.value;
    const logged = this.#requests.find(textOf(row.requestRef));
    const messageId = textOf(message.id) ?? String(row.uuid);
    const requestId = textOf(row.requestId);
    const response: ModelResponse = {
      key: requestId === undefined ? messageId : `${messageId} ${requestId}`,
      weakKey: messageId,
      line: record.line,
      at: this.#rowAt,
      requestAt: logged?.requestAt ?? this.#lastPromptAt,
      model: textOf(message.model) ?? "",
      usage: usageOf(usage),
      lane: this.#laneOf(row),
      previous: this.#tree.responseBefore(at),
      stopped: typeof message.stop_reason === "string",
      sidechain: row.isSidechain === true,
      copy: this.#isCopy(row),
      proven: logged?.proven ?? diagnosedCause(message),
      tier: tierOf(usage),
    };
    this.#tree.setResponse(at, this.#responses.add(response));
    for (const [index, beside] of iterationsBeside(usage).entries()) this.#addSideCall(response, index, beside);
  }

  #addSideCall(response: ModelResponse, index: number, { model, usage }: Iteration): void {
    const name = (key: string) => `${key} iteration ${index}`;
    this.#responses.add({
      ...response,
      ...{ key: name(response.key), weakKey: name(response.weakKey ?? response.key) },
      ...{ model: model ?? response.model, usage, previous: -1, proven: undefined, sideCall: true },
    });
  }

  #isCopy(row: JsonObject): boolean {
    const paidBy = textOf(row.requestSessionId);
    if (paidBy !== undefined && paidBy !== row.sessionId) return true;
    const isSessionFile = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(this.#stem);
    return isSessionFile && typeof row.sessionId === "string" && row.sessionId !== this.#stem;
  }

  #laneOf(row: JsonObject): string {
    if (!this.#isSide(row)) return mainLane;
    return textOf(row.agentId) ?? "side";
  }

  #isAtEnd(call: Place): boolean {
    return call.row >= this.#lastTurn;
  }

  /**
   * Only the branch that ends at the newest row is sent. A row beside it belongs to it all the same where it hangs
   * directly off it: of parallel calls, one pair stands on the branch and the others on twigs. A call on a twig without
   * its result is left out by the host.
   */
  #isSent(fault: Fault, sent: Uint8Array): boolean {
    if (sent[fault.row] === 1) return true;
    const isPair = fault.what === "open_call" || fault.what === "orphan_result";
    return !isPair && sent[this.#tree.parentOf(fault.row)] === 1;
  }

  #healsItself(fault: Fault): boolean {
    if (fault.what !== "open_call" && fault.what !== "orphan_result") return false;
    // Every version leaves a call at the very end out, or answers it, when the session is resumed.
    if (fault.what === "open_call" && this.#isAtEnd(fault)) return true;
    return isAtLeast(this.#version, healsFrom);
  }
}

function isAtLeast(version: string, floor: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of floor.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
