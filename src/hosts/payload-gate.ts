/**
 * The gate for agents that hand over a request as an object and send the object that comes back. They offer no way to
 * send it again, so what a provider says of it is only remembered for the next one.
 */
import { randomUUID } from "node:crypto";
import type { HostArray } from "../dispatch/repair-array.ts";
import type { CheckedRequest, Mode } from "../engine/engine.ts";
import type { PreparedHistory } from "../engine/shape-watch.ts";
import { type Api, isApi, type Upstream } from "../wire/api.ts";
import type { AgentCommand, AgentMessage, AgentModel } from "./agent-api.ts";
import { guarded } from "./guard.ts";
import { openPayload } from "./payload-body.ts";
import { type ProcessEngine, processEngine } from "./process-engine.ts";
import { SessionReport } from "./session-report.ts";
import { handoverTo, upstreamOfModel } from "./upstream.ts";

/** A person who leaves waits no longer than this for a store that is locked. OMP gives a last listener 2 s. */
const FLUSH_MS = 1_000;

export interface PayloadRequest {
  readonly payload: unknown;
  readonly model: AgentModel | undefined;
  readonly sessionId: string;
  /** Where the agent would not stand a changed payload, it is only looked at. */
  readonly observeOnly?: boolean;
  /** Repaired ahead only for rules that a rejection of such a payload has confirmed. */
  readonly unproven?: boolean;
}

export class PayloadGate {
  /** `/holdfast`: a message where the agent shows any, else a text beside its answer. */
  readonly command: AgentCommand = {
    description: "What Holdfast saw and repaired in this session",
    handler: async (_words, { hasUI, ui }) => {
      const text = await this.#describe();
      if (hasUI) ui.notify(text, "info");
      else console.error(text);
    },
  };
  readonly #report = new SessionReport();
  readonly #host: string;
  /** Sent and not yet answered. More than one at a time cannot be told apart. */
  #unanswered: CheckedRequest[] = [];
  #rejectedWith: number | null = null;
  /** The array that is being encoded; the next payload is made of it. */
  #prepared: PreparedHistory | null = null;
  #run: string | null = null;

  /** @param host part of the name under which failures of ours are counted */
  constructor(host: string) {
    this.#host = host;
  }

  /** From here on, requests are steps of one operation. */
  beginRun(): void {
    this.#run = randomUUID();
  }

  endRun(): void {
    this.#run = null;
  }

  /** @returns the rows to encode instead, or null where the host's own go on */
  async prepare<T>(model: AgentModel | undefined, array: HostArray<T>): Promise<readonly T[] | null> {
    this.#prepared = null;
    return await this.#guarded("array", null, async ({ engine, settings }) => {
      const upstream = upstreamOfModel(model, settings.upstreams);
      if (upstream === null || !isApi(model?.api)) return null;
      const { rows, prepared } = engine.prepareTurn({
        host: this.#host,
        upstream: { ...upstream, api: model.api },
        model: model.id,
        mode: settings.mode,
        array,
        operation: this.#run,
      });
      this.#prepared = prepared;
      return prepared.edits.length === 0 ? null : rows;
    });
  }

  /** @returns what to send instead, or undefined where the payload goes out as it is */
  async check(request: PayloadRequest): Promise<unknown> {
    const prepared = this.#prepared;
    this.#prepared = null;
    return await this.#guarded("payload", undefined, async ({ engine, settings }) => {
      const { payload, model, sessionId } = request;
      const target = upstreamOfModel(model, settings.upstreams);
      const read = target === null ? null : openPayload(model!.api, payload);
      if (target === null || read === null) {
        engine.count("request_unread", { upstream: model?.provider ?? "none", reason: "payload" });
        return undefined;
      }
      const known = { ...target, api: read.api };
      const upstream = request.unproven === true ? asUnknown(known) : known;
      const mode: Mode = request.observeOnly === true ? "observe" : settings.mode;
      const body = read.bytes;
      const checked = await engine.checkRequest({
        upstream,
        mode,
        method: "POST",
        // Where the body does not name the model.
        path: `/models/${encodeURIComponent(model!.id)}`,
        // Agents hand over no headers; this is the one by which they name their session on the wire.
        headers: { "x-session-affinity": sessionId },
        body,
        ...(prepared && { prepared }),
        ...handoverTo(upstream),
      });
      this.#unanswered.push(checked);
      this.#report.add(checked.record);
      return checked.body === body ? undefined : read.toPayload(checked.body);
    });
  }

  /** The provider has begun to answer. Why it rejects a request stands in the message that follows. */
  async answered(status: number, headers: Readonly<Record<string, string>>): Promise<void> {
    if (status >= 400) this.#rejectedWith = status;
    else await this.#observe(status, headers, "");
  }

  /** A message is complete; one that reports an error is all that agents show of a rejection. */
  async ended({ role, stopReason, errorMessage = "" }: AgentMessage): Promise<void> {
    if (role !== "assistant") return;
    const seen = this.#rejectedWith;
    this.#rejectedWith = null;
    if (stopReason === "aborted") this.#unanswered = [];
    // Pi shows no hook that Gemini has begun to answer.
    else if (stopReason !== "error") await this.#observe(200, {}, "");
    else {
      const status = Number(/\b(4\d\d|5\d\d)\b/.exec(errorMessage)?.[1] ?? seen ?? 0);
      await this.#observe(status, { "content-type": "application/json" }, bodyIn(errorMessage));
    }
  }

  /** Writes down what is known, before the process may end. Sessions end without it: the engine goes on. */
  async flush(): Promise<void> {
    await this.#guarded("flush", undefined, ({ engine }) => engine.flush(), FLUSH_MS);
  }

  async #describe(): Promise<string> {
    const notAvailable = "Holdfast could not be started. The agent goes on without it.";
    return await this.#guarded("describe", notAvailable, async ({ engine, notes }) =>
      this.#report.describe(engine.counters(), notes),
    );
  }

  async #observe(status: number, headers: Readonly<Record<string, string>>, body: string): Promise<void> {
    await this.#guarded("answer", undefined, async ({ engine }) => {
      const [checked, ...others] = this.#unanswered.splice(0);
      if (checked === undefined || others.length > 0) return;
      engine.observeResponse(checked, { status, headers, body: Buffer.from(body), complete: true });
    });
  }

  async #guarded<T>(
    where: string,
    own: T,
    work: (shared: ProcessEngine) => Promise<T>,
    deadlineMs?: number,
  ): Promise<T> {
    let shared: ProcessEngine;
    try {
      shared = await processEngine();
    } catch {
      // Expected: a machine without a home folder. There is nothing to count with.
      return own;
    }
    return await guarded(shared.engine, `${this.#host}_${where}`, own, () => work(shared), deadlineMs);
  }
}

/** A server that nobody has named: what is known of its provider has to be confirmed there first (DG-4). */
function asUnknown({ name, url, api }: Upstream & { api: Api }): Upstream & { api: Api } {
  return { name: `${name}-unproven`, url, api };
}

/** The provider's own JSON where the agent quotes it, else the agent's words in the shape of one. */
function bodyIn(error: string): string {
  const quoted = error.slice(error.indexOf("{"));
  try {
    JSON.parse(quoted);
    return quoted;
  } catch {
    // Expected: most agents show the sentence only.
    return JSON.stringify({ error: { message: error } });
  }
}
