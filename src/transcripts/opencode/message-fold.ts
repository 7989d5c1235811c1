import { type JsonObject, objectOf, textOf, timeOf } from "../json-value.ts";
import { PairWindow, type Place } from "../pair-window.ts";
import type { SessionResponses } from "../response-log.ts";
import { habitOf, isToolName, ruleFamilyOf, toFindings } from "../rule-family.ts";
import type { FoldedSession } from "../session-fold.ts";
import { promptTokens } from "../transcript.ts";
import { type MessageRow, type PartRow, usageOf } from "./row.ts";

const lane = "session";

/**
 * Reads the messages of one OpenCode session, in order. Call and result are one part here, so a result without its call
 * cannot be; a part that never finished is an open call.
 */
export class MessageFold {
  readonly #responses: SessionResponses;
  readonly #window = new PairWindow();
  #provider = "";
  #model = "";
  #row = 0;
  #lastAt = 0;
  #requestAt = Number.NaN;

  constructor(responses: SessionResponses) {
    this.#responses = responses;
  }

  visit({ info, parts }: MessageRow): void {
    this.#row += 1;
    const time = objectOf(info.time);
    const at = timeOf(time?.created);
    this.#lastAt = Math.max(this.#lastAt, at || 0, timeOf(time?.completed) || 0);
    if (info.role !== "assistant") {
      this.#requestAt = at;
      return;
    }
    this.#provider = textOf(info.providerID) ?? this.#provider;
    this.#model = textOf(info.modelID) ?? this.#model;
    const isSummary = info.summary === true || info.mode === "compaction";
    if (isSummary) this.#beginAnew();
    for (const part of parts) this.#readTool(part);
    this.#readUsage(info, parts, at);
    // The summary was made from the whole history, in a request of its own; the next one holds the summary alone.
    if (isSummary) this.#responses.markBoundary(lane);
  }

  lastAt(): number {
    return this.#lastAt;
  }

  hasCallAtEnd(): boolean {
    return this.#window.openCalls.some((call) => call.row === this.#row);
  }

  finish(id: string, live: boolean): FoldedSession {
    this.#responses.close();
    const family = /claude/.test(this.#model) && !/bedrock/.test(this.#provider) ? "A" : ruleFamilyOf(this.#provider);
    const faults = this.#window
      .faults()
      .filter((fault) => !(live && fault.what === "open_call" && fault.row === this.#row));
    // OpenCode sends an unfinished part as an interrupted one. Readers that take the file over do not.
    const findings = toFindings(faults, family, (fault) => fault.what === "open_call");
    return { id, findings, habit: habitOf(family) };
  }

  /** The summary is the new beginning: what stood before it is not sent any more. */
  #beginAnew(): void {
    this.#window.cutBefore(this.#row);
    this.#responses.markBoundary(lane);
  }

  #readTool({ part, file }: PartRow): void {
    if (part.type !== "tool") return;
    const place: Place = { row: this.#row, line: null, file, id: String(part.callID) };
    this.#window.call(place);
    if (!isToolName(part.tool)) this.#window.fault({ ...place, what: "bad_name" });
    const status = objectOf(part.state)?.status;
    if (status === "completed" || status === "error") this.#window.result(place);
  }

  /** Older versions take several steps in one message; each step was a request of its own. */
  #readUsage(info: JsonObject, parts: readonly PartRow[], at: number): void {
    const steps = parts.map(({ part }) => part).filter((part) => part.type === "step-finish");
    const told = steps.length > 0 ? steps : [info];
    for (const [index, step] of told.entries()) {
      const usage = usageOf(objectOf(step.tokens) ?? {});
      if (promptTokens(usage) + usage.output === 0) continue;
      this.#responses.add({
        // A fork of a session writes new ids, an export keeps them: the same response has the same id everywhere.
        key: `${String(info.id)} ${index}`,
        weakKey: undefined,
        line: 0,
        at,
        requestAt: this.#requestAt,
        model: this.#model,
        usage,
        lane,
        previous: this.#responses.lastIn(lane),
        stopped: true,
        sidechain: false,
        copy: false,
        proven: undefined,
      });
    }
  }
}
