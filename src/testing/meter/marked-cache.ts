/** Anthropic's prompt cache: entries end at breakpoints, and a later request finds them within a short look-back. */
import { createHash } from "node:crypto";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Measured } from "./prefix-cache-meter.ts";
import { promptTokens } from "./prompt-tokens.ts";

export interface PromptSegment {
  /** The bytes that count, cache markers left out. */
  readonly text: string;
  /** A segment that changes the cache key and holds no tokens (thinking settings, tool choice). */
  readonly weightless?: boolean;
  readonly marker?: CacheLife;
}

export type CacheLife = "5m" | "1h";

/** How many blocks in front of a breakpoint the provider looks for an entry. */
const lookBackBlocks = 20;
/** More than any test writes. */
const entriesMax = 20_000;
const lifeMs: Readonly<Record<CacheLife, number>> = { "5m": 300_000, "1h": 3_600_000 };

interface CacheEntry {
  life: CacheLife;
  expiresAt: number;
}

export class MarkedCache {
  readonly #entries = new BoundedMap<string, CacheEntry>(entriesMax);

  measure(model: string, segments: readonly PromptSegment[], minimumTokens: number, now: number): Measured {
    const { keys, ends } = positionsOf(model, segments);
    const breakpoints = segments.flatMap((one, at) => (one.marker && ends[at]! >= minimumTokens ? [at] : []));
    const hit = this.#longestHit(keys, breakpoints, now);
    const total = ends.at(-1) ?? 0;
    const read = hit < 0 ? 0 : ends[hit]!;
    const cachedTo = Math.max(read, ends[breakpoints.at(-1) ?? -1] ?? 0);
    const lastHour = breakpoints.findLast((at) => segments[at]!.marker === "1h");
    const written1h = lastHour === undefined ? 0 : Math.max(0, ends[lastHour]! - read);
    this.#refresh(keys[hit], now);
    for (const at of breakpoints) this.#write(keys[at]!, segments[at]!.marker!, now);
    return { read, written: cachedTo - read, written1h, uncached: total - cachedTo };
  }

  #longestHit(keys: readonly string[], breakpoints: readonly number[], now: number): number {
    for (const breakpoint of breakpoints.toReversed()) {
      for (let at = breakpoint; at >= Math.max(0, breakpoint - lookBackBlocks); at--) {
        const entry = this.#entries.get(keys[at]!);
        if (entry !== undefined && entry.expiresAt > now) return at;
      }
    }
    return -1;
  }

  /** A read gives the entry its full life again. */
  #refresh(key: string | undefined, now: number): void {
    const entry = key === undefined ? undefined : this.#entries.get(key);
    if (entry !== undefined) entry.expiresAt = now + lifeMs[entry.life];
  }

  #write(key: string, marker: CacheLife, now: number): void {
    const known = this.#entries.get(key);
    const life = known !== undefined && known.expiresAt > now && known.life === "1h" ? "1h" : marker;
    this.#entries.set(key, { life, expiresAt: now + lifeMs[life] });
  }
}

/** Per segment: the key of the prefix that ends with it, and the prompt tokens up to there. */
function positionsOf(model: string, segments: readonly PromptSegment[]): { keys: string[]; ends: number[] } {
  const keys: string[] = [];
  const ends: number[] = [];
  let key = model;
  let tokens = 0;
  for (const segment of segments) {
    key = createHash("sha256").update(`${key}\n${segment.text}`).digest("hex");
    if (segment.weightless !== true) tokens += promptTokens(segment.text);
    keys.push(key);
    ends.push(tokens);
  }
  return { keys, ends };
}
