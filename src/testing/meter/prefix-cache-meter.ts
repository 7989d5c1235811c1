/**
 * A prefix cache that answers one question per request: how many prompt tokens were read from it, written to it, and
 * billed in full. Sizes are estimates (four bytes to a token); what matters is that equal bytes count equally.
 */
import type { Clock } from "../../lib/clock.ts";
import { AutomaticCache } from "./automatic-cache.ts";
import { MarkedCache, type PromptSegment } from "./marked-cache.ts";

/** Turns that are kept; the oldest go first. */
const turnsMax = 10_000;

export interface MeterTurn {
  readonly at: number;
  readonly model: string;
  /** Prompt tokens served from the cache. */
  readonly read: number;
  /** Prompt tokens written to it; those with a one hour life are counted again in `written1h`. */
  readonly written: number;
  readonly written1h: number;
  /** Prompt tokens behind the last breakpoint. */
  readonly uncached: number;
}

export type Measured = Omit<MeterTurn, "at" | "model">;

export class PrefixCacheMeter {
  readonly #clock: Clock;
  #marked = new MarkedCache();
  #automatic = new AutomaticCache();
  #turns: MeterTurn[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One entry per accepted request, oldest first. */
  get turns(): readonly MeterTurn[] {
    return this.#turns;
  }

  /** Breakpoint caching as Anthropic does it: `segments` stand in provider order (tools, system, messages). */
  measureMarked(model: string, segments: readonly PromptSegment[], minimumTokens: number): MeterTurn {
    return this.#record(model, this.#marked.measure(model, segments, minimumTokens, this.#clock.now()));
  }

  /** Longest common prefix caching as OpenAI does it: `prompt` is the rendered prompt. */
  measureAutomatic(model: string, prompt: string): MeterTurn {
    return this.#record(model, this.#automatic.measure(model, prompt, this.#clock.now()));
  }

  /** Forgets entries and history: the next request finds a cold cache. */
  reset(): void {
    this.#marked = new MarkedCache();
    this.#automatic = new AutomaticCache();
    this.#turns = [];
  }

  #record(model: string, measured: Measured): MeterTurn {
    const turn = { at: this.#clock.now(), model, ...measured };
    if (this.#turns.push(turn) > turnsMax) this.#turns.shift();
    return turn;
  }
}
