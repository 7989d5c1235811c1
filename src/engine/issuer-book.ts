/**
 * Who sealed which piece of reasoning (DG-28), over restarts and over all processes of a store: a keyed hash of the seal,
 * and its issuer. The seal itself and what it stands for are in memory only.
 */
import type { Issuer, IssuerStamps } from "../dispatch/thinking-memory.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Journal } from "./journal.ts";

const STREAM = "engine/issuers";
const TYPE = "session.issuer.seen";

/** As many as a process remembers in full. */
const SEALS_MAX = 50_000;

/** Answers of the last sessions, one event each: an agent's start waits for them (10,000 take a tenth of a second). */
const EVENTS_READ_MAX = 10_000;

interface IssuerSeen {
  readonly v: 1;
  readonly issuer: Issuer;
  /** Keyed hashes of the seals of one answer. */
  readonly seals: readonly string[];
}

export class IssuerBook implements IssuerStamps {
  readonly #issuers = new BoundedMap<string, Issuer>(SEALS_MAX);
  readonly #journal: Journal;
  readonly #hash: (seal: string) => string;

  constructor(journal: Journal, hash: (seal: string) => string) {
    this.#journal = journal;
    this.#hash = hash;
  }

  async load(): Promise<void> {
    const apply = (event: IssuerSeen) => this.#apply(event);
    await this.#journal.follow<IssuerSeen>(STREAM, apply, { type: TYPE, eventsMax: EVENTS_READ_MAX });
  }

  get isEmpty(): boolean {
    return this.#issuers.count === 0;
  }

  stampOf(seal: string): string {
    return this.#hash(seal);
  }

  issuerOf(stamp: string): Issuer | undefined {
    return this.#issuers.get(stamp);
  }

  /** One event for the seals of one answer; none where all of them are known. */
  keep(issuer: Issuer, seals: readonly string[]): void {
    const fresh = seals.map((seal) => this.stampOf(seal)).filter((stamp) => !this.#issuers.has(stamp));
    if (fresh.length === 0) return;
    const event: IssuerSeen = { v: 1, issuer, seals: fresh };
    this.#apply(event);
    this.#journal.write(STREAM, TYPE, event);
  }

  #apply({ issuer, seals }: IssuerSeen): void {
    for (const seal of seals) this.#issuers.set(seal, issuer);
  }
}
