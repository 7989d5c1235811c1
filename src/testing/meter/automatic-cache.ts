/** OpenAI's automatic cache: the longest prefix that a recent request of the same model shares, in fixed steps. */
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Measured } from "./prefix-cache-meter.ts";
import { promptTokens } from "./prompt-tokens.ts";

/** The smallest prefix that is cached, and the step above it. */
const minimumTokens = 1024;
const stepTokens = 128;
/** Prompts that are compared; enough for the lanes of a few sessions, small enough to compare each time. */
const promptsMax = 64;
const promptCharsMax = 64 * 1024 * 1024;
const lifeMs = 30 * 60_000;

interface SeenPrompt {
  readonly model: string;
  readonly prompt: string;
  expiresAt: number;
}

export class AutomaticCache {
  readonly #seen = new BoundedMap<string, SeenPrompt>(promptsMax, promptCharsMax);

  measure(model: string, prompt: string, now: number): Measured {
    let shared = 0;
    for (const seen of this.#seen.values()) {
      if (seen.model === model && seen.expiresAt > now) shared = Math.max(shared, commonLength(seen.prompt, prompt));
    }
    const total = promptTokens(prompt);
    const read = wholeSteps(promptTokens(prompt.slice(0, shared)));
    const cachedTo = Math.max(read, wholeSteps(total));
    this.#seen.set(`${model}\n${prompt}`, { model, prompt, expiresAt: now + lifeMs }, prompt.length);
    return { read, written: cachedTo - read, written1h: 0, uncached: total - cachedTo };
  }
}

function wholeSteps(tokens: number): number {
  return tokens < minimumTokens ? 0 : tokens - (tokens % stepTokens);
}

function commonLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
