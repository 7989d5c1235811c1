/**
 * What one simulated provider has issued: thinking signatures with the prefix they are bound to, sealed reasoning,
 * and the histories that it holds for its clients. In memory only; it ends with the provider.
 */
import { createHash, randomBytes } from "node:crypto";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { JsonObject } from "./json-value.ts";

/** Far more than any test sends; only a runaway loop reaches it. */
const entriesMax = 20_000;
/** Whole histories are large, and a client continues only its newest ones. */
const historiesMax = 1_000;

/** A thinking block as it left the provider. */
export interface IssuedThinking {
  /** Who signed it: this provider, or another one whose exchange it was told about. */
  readonly issuer: string;
  readonly model: string;
  /** Hash over everything in front of the block, cache markers left out. */
  readonly prefix: string;
  readonly tools: string;
  readonly system: string;
  /** Signatures of the thinking blocks in front of it. */
  readonly thinkingBefore: readonly string[];
  /** The whole answer that held the block, and where it stood. */
  readonly answer: readonly JsonObject[];
  readonly index: number;
}

/** A history that the server holds, under the id of the response that ends it. */
export interface HeldThread {
  readonly model: string;
  readonly system: unknown;
  readonly tools: unknown;
  readonly messages: readonly unknown[];
  readonly expiresAt: number;
  continued: "no" | "in-flight" | "yes";
}

/** The items of a Responses history, under the id of the response that ends it or of the conversation. */
export interface HeldItems {
  readonly items: readonly JsonObject[];
}

export interface IssuedReasoning {
  readonly issuer: string;
  readonly model: string;
  /** Hash over everything in front of the item. */
  readonly prefix: string;
}

/** What a later request is compared with when it asks why the cache missed. */
export interface PromptPrint {
  readonly fields: Readonly<Record<string, string>>;
  /** The history, piece by piece. */
  readonly items: readonly string[];
}

export class ProviderMemory {
  readonly thinking = new BoundedMap<string, IssuedThinking>(entriesMax);
  readonly threads = new BoundedMap<string, HeldThread>(historiesMax);
  readonly responses = new BoundedMap<string, HeldItems>(historiesMax);
  readonly conversations = new BoundedMap<string, HeldItems>(historiesMax);
  /** Stored items by their id. */
  readonly items = new BoundedMap<string, JsonObject>(entriesMax);
  /** Sealed reasoning by its sealed text. */
  readonly reasoning = new BoundedMap<string, IssuedReasoning>(entriesMax);
  /** Item id → id of the reasoning item that the provider wants in front of it. */
  readonly needsReasoning = new BoundedMap<string, string>(entriesMax);
  readonly prints = new BoundedMap<string, PromptPrint>(historiesMax);
  readonly #seed: string;
  #issued = 0;

  constructor(idSeed = randomBytes(6).toString("hex")) {
    this.#seed = idSeed;
  }

  /** A new id in the provider's style, for example `toolu_01a1b2c3d4e5f6000007`. */
  nextId(prefix: string): string {
    this.#issued++;
    return `${prefix}${this.#seed}${String(this.#issued).padStart(6, "0")}`;
  }

  /** An opaque value that only this provider can have made: the seed takes the part of a secret key. */
  seal(kind: string, ...parts: readonly string[]): string {
    const hash = createHash("sha512").update(`${kind}\0${this.#seed}`);
    for (const part of parts) hash.update(`\0${part}`);
    return hash.digest("base64");
  }
}
