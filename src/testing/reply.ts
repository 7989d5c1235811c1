/** One answer on its way out, in JSON or as events, with the faults that a script asks for. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { ScriptedTurn } from "./script.ts";

export interface SentEvent {
  /** The `event:` line; the OpenAI chat API has none. */
  readonly event?: string;
  /** Sent as JSON, a string as it is (`[DONE]`), bytes without the frame of an event. */
  readonly data: unknown;
}

export class Reply {
  readonly #response: ServerResponse;
  readonly #closed = new AbortController();

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once("close", () => this.#closed.abort());
  }

  get gone(): boolean {
    return this.#closed.signal.aborted;
  }

  json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.#response.writeHead(status, { "content-type": "application/json", ...headers });
    this.#response.end(JSON.stringify(body));
  }

  /** Resolves when the stream has ended, was cut by the script, or the client has gone. */
  async events(
    events: readonly SentEvent[],
    turn: ScriptedTurn,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      ...headers,
    });
    for (const [sent, event] of events.entries()) {
      if (sent === turn.cutAfterEvents) return this.#cut();
      if (sent > 0 && turn.eventDelayMs !== undefined) await this.wait(turn.eventDelayMs);
      if (this.gone) return;
      this.#response.write(encodeEvent(event));
    }
    this.#response.end();
  }

  /** Half of the body, then the end of the connection. */
  cutJson(body: unknown, headers: Readonly<Record<string, string>>): void {
    const bytes = Buffer.from(JSON.stringify(body));
    this.#response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length, ...headers });
    this.#response.write(bytes.subarray(0, bytes.length / 2));
    this.#cut();
  }

  garbage(streamed: boolean): void {
    this.#response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
    this.#response.end(
      streamed ? 'event: content_block_delta\ndata: {"type":"conte\n\n\u0000\ufffd<html>\n\n' : "<html>Bad gateway",
    );
  }

  /** The client sees a connection reset instead of an answer. */
  reset(): void {
    this.#response.socket?.resetAndDestroy();
  }

  /** Closes behind what has been written; a reset could overtake it. */
  #cut(): void {
    const { socket } = this.#response;
    setImmediate(() => socket?.destroySoon());
  }

  async wait(ms: number): Promise<void> {
    if (ms > 0) await wait(ms, undefined, { signal: this.#closed.signal }).catch(() => {});
  }

  /** Until the client gives up or the provider closes. */
  async hang(): Promise<void> {
    if (!this.gone) await once(this.#closed.signal, "abort");
  }
}

function encodeEvent({ event, data }: SentEvent): string | Uint8Array {
  if (data instanceof Uint8Array) return data;
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
