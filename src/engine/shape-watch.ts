/** Compares what a host prepared with what is at the socket, and remembers per lane what it was wrong about (DG-41). */
import { compareRequest, lostCharacters, type PreparedForm } from "../dispatch/compare.ts";
import type { Divergence } from "../dispatch/verdict.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { afterComparison, beforeComparison, NO_SHAPES, type ShapeMemory } from "../session/shape-memory.ts";
import type { Row, WireRequest } from "../wire/request.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import type { Journal } from "./journal.ts";

/** What a host meant to send: its own rows, translated block for block. */
export interface PreparedHistory {
  /** Name of the agent program. */
  readonly host: string;
  readonly rows: readonly Row[];
  readonly form: PreparedForm;
  /** What the gate repaired in the host's array: the payload was encoded from the repaired one. */
  readonly edits: readonly RequestEdit[];
  /** The host's own name for the run that this request belongs to; null where it names none. */
  readonly operation: string | null;
}

export interface Comparison {
  readonly divergences: readonly Divergence[];
  /** A shape that is new to this lane: one line in the log. */
  readonly fresh: string | null;
  /** Results that lost text on the way, and how much (DG-31). */
  readonly lost: { readonly results: number; readonly characters: number };
}

const STREAM = "engine/shapes";
const LANES_MAX = 5_000;
const NOTHING: Comparison = { divergences: [], fresh: null, lost: { results: 0, characters: 0 } };

interface ShapeSeen {
  readonly v: 1;
  readonly lane: string;
  readonly api: string;
  readonly model: string | null;
  readonly shape: string;
}

export class ShapeWatch {
  readonly #lanes = new BoundedMap<string, ShapeMemory>(LANES_MAX);
  readonly #operations = new BoundedMap<string, string>(LANES_MAX);
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async load(): Promise<void> {
    await this.#journal.follow<ShapeSeen>(STREAM, ({ lane, api, model, shape }) => {
      const memory = beforeComparison(this.#memoryOf(lane, api, model), { api, model, opensOperation: true });
      this.#lanes.set(lane, { ...memory, shapes: [...new Set([...memory.shapes, shape])] });
    });
  }

  /** @param userSpoke whether the request looks like the start of an operation, for hosts that name none */
  compare(lane: string, prepared: PreparedHistory, request: WireRequest, userSpoke: boolean): Comparison {
    const { api, model, rows } = request;
    const opensOperation = prepared.operation === null ? userSpoke : this.#isNew(lane, prepared.operation);
    const memory = beforeComparison(this.#memoryOf(lane, api, model), { api, model, opensOperation });
    this.#lanes.set(lane, memory);
    if (memory.skips) return NOTHING;
    const divergences = compareRequest(prepared.rows, request, prepared.form);
    const rowDifference = rows.length - prepared.rows.length;
    const after = afterComparison(memory, divergences, { host: prepared.host, api, model, rowDifference });
    this.#lanes.set(lane, after.memory);
    if (after.fresh !== null) {
      this.#journal.write(STREAM, "request.shape.seen", {
        v: 1,
        lane,
        api,
        model,
        shape: after.fresh,
      } satisfies ShapeSeen);
    }
    const lost = divergences.some((divergence) => divergence.class === "result_content_changed");
    return { divergences, fresh: after.fresh, lost: lost ? lostCharacters(prepared.rows, rows) : NOTHING.lost };
  }

  #isNew(lane: string, operation: string): boolean {
    const before = this.#operations.get(lane);
    this.#operations.set(lane, operation);
    return operation !== before;
  }

  #memoryOf(lane: string, api: string, model: string | null): ShapeMemory {
    return this.#lanes.get(lane) ?? NO_SHAPES(api, model);
  }
}
