/**
 * The gate for agents that hand over a request as an object and send the object that comes back. They offer no way to
 * send it again, so what a provider says of it is only remembered for the next one.
 */
import type { CheckedRequest, Mode } from "../engine/engine.ts";
import { isApi } from "../wire/api.ts";
import type { AgentCommand, AgentMessage, AgentModel } from "./agent-api.ts";
import { guarded } from "./guard.ts";
import { type ProcessEngine, processEngine } from "./process-engine.ts";
import { SessionReport } from "./session-report.ts";
import { upstreamOf } from "./upstream.ts";

/** APIs whose payload is the body of the request. The others hand over what their SDK turns into one. */
const BODY_APIS = new Set([
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "openai-codex-responses",
  "azure-openai-responses",
]);

export interface PayloadRequest {
  readonly payload: unknown;
  readonly model: AgentModel | undefined;
  readonly sessionId: string;
  /** Where the agent would not stand a changed payload, it is only looked at. */
  readonly observeOnly?: boolean;
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

  /** @param host part of the name under which failures of ours are counted */
  constructor(host: string) {
    this.#host = host;
  }

  /** @returns what to send instead, or undefined where the payload goes out as it is */
  async check(request: PayloadRequest): Promise<unknown> {
    return await this.#guarded("payload", undefined, async ({ engine, settings }) => {
      const { payload, model, sessionId } = request;
      if (model?.baseUrl === undefined || !BODY_APIS.has(model.api) || !isApi(model.api)) {
        engine.count("request_unread", { upstream: model?.provider ?? "none", reason: "payload" });
        return undefined;
      }
      const { upstream } = upstreamOf(new URL(model.baseUrl), settings.upstreams);
      const mode: Mode = request.observeOnly === true ? "observe" : settings.mode;
      const checked = await engine.checkRequest({
        upstream: { ...upstream, api: model.api },
        mode,
        method: "POST",
        path: "/",
        // Agents hand over no headers; this is the one by which they name their session on the wire.
        headers: { "x-session-affinity": sessionId },
        body: Buffer.from(JSON.stringify(payload)),
      });
      this.#unanswered.push(checked);
      this.#report.add(checked.record);
      return checked.record.outcome === "repaired" ? JSON.parse(Buffer.from(checked.body).toString()) : undefined;
    });
  }

  /** The provider has begun to answer. */
  async answered(status: number, headers: Readonly<Record<string, string>>): Promise<void> {
    await this.#observe(status, headers, "");
  }

  /** A message is complete; one that reports an error is all that agents show of a rejection. */
  async ended(message: AgentMessage): Promise<void> {
    if (message.role !== "assistant" || message.stopReason !== "error") return;
    const error = message.errorMessage ?? "";
    const status = Number(/\b(4\d\d|5\d\d)\b/.exec(error)?.[1] ?? 0);
    await this.#observe(status, { "content-type": "application/json" }, bodyIn(error));
  }

  /** Writes down what is known, before the process may end. */
  async flush(): Promise<void> {
    await this.#guarded("flush", undefined, ({ engine }) => engine.close());
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

  async #guarded<T>(where: string, own: T, work: (shared: ProcessEngine) => Promise<T>): Promise<T> {
    let shared: ProcessEngine;
    try {
      shared = await processEngine();
    } catch {
      // Expected: a machine without a home folder. There is nothing to count with.
      return own;
    }
    return await guarded(shared.engine, `${this.#host}_${where}`, own, () => work(shared));
  }
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
