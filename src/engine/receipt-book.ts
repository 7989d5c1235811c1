/**
 * The receipts of all sessions: which texts belong into their requests, and which older versions do not any more. Kept in
 * memory and, as keyed hashes, in the journal.
 */
import { type Receipt, ReceiptIndex, ReceiptMaker } from "../dispatch/receipt.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { KeyedHash } from "../lib/keyed-hash.ts";
import type { Journal } from "./journal.ts";

/** The blocks of one session. A new object for every change, so that an index tells which texts it was made for. */
export interface SessionReceipts {
  readonly index: ReceiptIndex;
  /** The current version of each block by its name. */
  readonly held: ReadonlyMap<string, Receipt>;
  /** Every version by its hash, older and retired ones included. */
  readonly versions: ReadonlyMap<string, BlockVersion>;
  /** Versions that a newer one of the same block has taken the place of. */
  readonly stale: ReadonlySet<string>;
}

interface BlockVersion {
  readonly name: string;
  readonly receipt: Receipt;
}

const STREAM = "engine/receipts";
const INJECTED = "session.block.injected";

interface BlockInjected {
  readonly v: 1;
  readonly session: string;
  readonly name: string;
  readonly receipt: Receipt;
}

interface BlockRetired {
  readonly v: 1;
  readonly session: string;
  readonly name: string;
  readonly receipt: null;
}

/** Sessions with blocks; a forgotten one is only no longer checked. */
const SESSIONS_MAX = 1_000;

/** Blocks of one session: what is looked for in every request of it. */
export const BLOCKS_MAX = 256;

/** Older versions that are still recognised. */
const VERSIONS_MAX = 1_024;

/** As many as all sessions of the last weeks have: what is older is looked for by nobody. */
const EVENTS_READ_MAX = 20_000;

export class ReceiptBook {
  readonly maker: ReceiptMaker;
  readonly #sessions = new BoundedMap<string, SessionReceipts>(SESSIONS_MAX);
  readonly #journal: Journal;
  readonly #hash: KeyedHash;

  constructor(journal: Journal, hash: KeyedHash) {
    this.#journal = journal;
    this.#hash = hash;
    this.maker = new ReceiptMaker(hash);
  }

  async load(): Promise<void> {
    const newest = { type: INJECTED, eventsMax: EVENTS_READ_MAX };
    await this.#journal.follow<BlockInjected | BlockRetired>(
      STREAM,
      (event) => this.#apply(this.#sealed(event)),
      newest,
    );
  }

  get isEmpty(): boolean {
    return this.#sessions.count === 0;
  }

  of(session: string): SessionReceipts | undefined {
    return this.#sessions.get(session);
  }

  nameOf(session: string, name: string): string {
    return this.#hash("block", `${session}\0${name}`);
  }

  /** @returns false where the session has too many blocks already */
  hold(session: string, name: string, receipt: Receipt): boolean {
    const before = this.of(session)?.held;
    if (before?.get(name)?.id === receipt.id) return true;
    if (before !== undefined && before.size >= BLOCKS_MAX && !before.has(name)) return false;
    this.#write(INJECTED, { v: 1, session, name, receipt });
    return true;
  }

  retire(session: string, name: string): void {
    if (this.of(session)?.held.has(name) !== true) return;
    this.#write("session.block.retired", { v: 1, session, name, receipt: null });
  }

  #write(type: string, event: BlockInjected | BlockRetired): void {
    this.#apply(event);
    this.#journal.write(STREAM, type, this.#sealed(event));
  }

  #sealed<E extends BlockInjected | BlockRetired>(event: E): E {
    return event.receipt === null ? event : { ...event, receipt: this.maker.sealed(event.receipt) };
  }

  #apply({ session, name, receipt }: BlockInjected | BlockRetired): void {
    const before = this.of(session);
    const held = new Map(before?.held);
    const versions = new Map(before?.versions);
    const stale = new Set(before?.stale);
    if (receipt === null) {
      held.delete(name);
      for (const version of versions.values()) if (version.name === name) stale.delete(version.receipt.id);
    } else {
      const replaced = held.get(name);
      if (replaced !== undefined) stale.add(replaced.id);
      // A version that comes back is the current one again.
      stale.delete(receipt.id);
      versions.delete(receipt.id);
      versions.set(receipt.id, { name, receipt });
      held.set(name, receipt);
    }
    for (const id of versions.keys()) {
      if (versions.size <= VERSIONS_MAX) break;
      versions.delete(id);
      stale.delete(id);
    }
    const index = new ReceiptIndex(
      this.maker,
      [...versions.values()].map((version) => version.receipt),
    );
    this.#sessions.set(session, { index, held, versions, stale });
  }
}
