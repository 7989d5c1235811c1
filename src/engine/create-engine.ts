/** Puts the engine together: reader, power of rules, memory, counters, and the store behind them. */
import { ThinkingMemory } from "../dispatch/thinking-memory.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { keyedHash } from "../lib/keyed-hash.ts";
import type { EventStore } from "../store/event-store.ts";
import { type BodyCapture, Captures } from "./capture.ts";
import { checkRequest } from "./check-request.ts";
import { Counters } from "./counters.ts";
import type { Engine } from "./engine.ts";
import type { EngineParts } from "./engine-parts.ts";
import { Handovers } from "./handovers.ts";
import { IssuerBook } from "./issuer-book.ts";
import { Journal } from "./journal.ts";
import { Lanes } from "./lanes.ts";
import { MadeResults } from "./made-results.ts";
import { observeResponse } from "./observe-response.ts";
import { OwnBlocks } from "./own-blocks.ts";
import { prepareTurn } from "./prepare-turn.ts";
import { RecipeBook } from "./recipe-book.ts";
import { RequestReader } from "./request-reader.ts";
import { retryAfterRejection } from "./retry-request.ts";
import { type PowerChange, RulePowers } from "./rule-power.ts";
import { ShapeWatch } from "./shape-watch.ts";

export interface EngineOptions {
  readonly store: EventStore;
  /** 32 bytes that lie beside the store, not in it (DG-75). */
  readonly hashKey: Uint8Array;
  readonly clock?: Clock;
  /** Keeps redacted bodies of what is worth looking at (DG-71); without it only records without content are kept. */
  readonly bodies?: BodyCapture;
}

const POWER_STREAM = "engine/rule-power";

/** Loads what earlier processes learned; a store that fails to answer means starting without it. */
export async function createEngine({ store, hashKey, clock = systemClock, bodies }: EngineOptions): Promise<Engine> {
  const counters = new Counters(store);
  const journal = new Journal(store, (type) => counters.add("event_lost", { type }));
  const hash = keyedHash(hashKey);
  const handovers = new Handovers(journal, hash, clock);
  const issuers = new IssuerBook(journal, (seal) => hash("seal", seal));
  const parts: EngineParts = {
    counters,
    powers: new RulePowers((change) => journal.write(POWER_STREAM, "rule.power.changed", change)),
    reader: new RequestReader(hash, clock, new Lanes(journal), handovers),
    recipes: new RecipeBook(journal),
    handovers,
    made: new MadeResults(journal),
    shapes: new ShapeWatch(journal),
    own: new OwnBlocks(journal, hash, clock),
    captures: new Captures(journal, (name, labels) => counters.add(name, labels), bodies ?? null),
    memory: new ThinkingMemory(issuers),
    issuers,
    clock,
    pending: new WeakMap(),
  };
  await load(parts, journal);
  return {
    inject: (session, block) => parts.own.inject(parts.reader.ownerOf(session), block),
    retire: (session, name) => parts.own.retire(parts.reader.ownerOf(session), name),
    prepareTurn: (turn) => prepareTurn(parts, turn),
    async checkRequest(observed) {
      const { handover } = observed;
      if (handover === "take") await handovers.hearHosts(parts.reader.ownerOf(observed).id);
      const read = parts.reader.read(observed);
      // Who answered them, another gateway or this one before a restart, has written down what it learned and repaired.
      if (read.kind === "read" && read.holdsUnseenReplies) await journal.hear();
      const checked = checkRequest(parts, observed, read);
      if (handover === "give") await handovers.reachGateway();
      return checked;
    },
    retryAfterRejection: async (checked, response) => retryAfterRejection(parts, checked, response),
    observeResponse: (checked, response) => observeResponse(parts, checked, response),
    count: (name, labels) => counters.add(name, labels),
    counters: () => counters.list(),
    async flush() {
      await Promise.all([journal.written(), counters.flush()]);
    },
    async close() {
      await parts.captures.close();
      await journal.close();
      await counters.flush();
    },
  };
}

async function load(
  { powers, recipes, made, issuers, handovers, shapes, own, reader, captures, counters }: EngineParts,
  journal: Journal,
): Promise<void> {
  try {
    await journal.follow<PowerChange>(POWER_STREAM, (change) => powers.restore(change));
    await recipes.load();
    await made.load();
    await issuers.load();
    await handovers.load();
    await shapes.load();
    await own.load();
    await reader.lanes.load();
    await captures.load();
  } catch {
    // Expected: a locked or broken store (DG-74). Rules start with the power that their evidence gives them.
    counters.add("own_failure", { where: "engine_load" });
  }
}
