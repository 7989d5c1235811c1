/**
 * Made-up results that a provider has taken (DG-26), and until when its cache may hold them. Kept in memory and in the
 * journal, so that neither a restart nor another gateway on the store changes what stands for a call.
 */
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Journal } from "./journal.ts";

export interface MadeResult {
  /** Index of the call among the blocks of its row. */
  readonly block: number;
  /** The rule that makes the result again as long as the call has none. */
  readonly rule: string;
  /** Caches of two models have nothing in common. */
  readonly model: string | null;
  /** Milliseconds since 1970: from then on the cache is surely gone. */
  readonly until: number;
}

/** A call of a history. */
export interface MadePlace {
  /** Keyed chain hash behind the row of the call. */
  readonly anchor: string;
  readonly block: number;
}

/** The data of `request.result.made` and, without the last three members, of `request.result.lapsed`. */
interface MadeEvent {
  readonly v: 1;
  readonly places: readonly MadePlace[];
  readonly rule?: string;
  readonly model?: string | null;
  readonly until?: number;
}

const STREAM = "engine/made-results";
const MADE = "request.result.made";

/** Accepted answers of the last days: a cache that was used before them is gone. */
const EVENTS_READ_MAX = 10_000;

/** One is needed as long as its session goes on; the oldest belong to sessions that ended. */
const ANCHORS_MAX = 10_000;

/** Of one history only the last ones are kept alive: each is named in the event of every answer. */
const PLACES_MAX = 100;

const NONE: readonly MadeResult[] = [];

export class MadeResults {
  readonly #made = new BoundedMap<string, readonly MadeResult[]>(ANCHORS_MAX);
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async load(): Promise<void> {
    const apply = (event: MadeEvent) => this.#apply(event);
    await this.#journal.follow<MadeEvent>(STREAM, apply, { type: MADE, eventsMax: EVENTS_READ_MAX });
  }

  get isEmpty(): boolean {
    return this.#made.count === 0;
  }

  at(anchor: string): readonly MadeResult[] {
    return this.#made.get(anchor) ?? NONE;
  }

  /** A provider has taken a request with these: one event, however many there are. */
  keep(places: readonly MadePlace[], taken: Omit<MadeResult, "block">): void {
    if (places.length > 0) this.#write(MADE, { v: 1, places: places.slice(-PLACES_MAX), ...taken });
  }

  /** The real ones have taken their places. */
  lapse(places: readonly MadePlace[]): void {
    if (places.length > 0) this.#write("request.result.lapsed", { v: 1, places });
  }

  #write(type: string, event: MadeEvent): void {
    this.#apply(event);
    this.#journal.write(STREAM, type, event);
  }

  #apply({ places, rule, model = null, until }: MadeEvent): void {
    for (const { anchor, block } of places) {
      const others = this.at(anchor).filter((made) => made.block !== block);
      const made = rule === undefined || until === undefined ? others : [...others, { block, rule, model, until }];
      if (made.length === 0) this.#made.delete(anchor);
      else this.#made.set(anchor, made);
    }
  }
}
