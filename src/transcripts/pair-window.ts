import { IdTable } from "./id-table.ts";
import type { FindingKind } from "./transcript.ts";

export interface Place {
  /** Order in the file (or on the branch): a window is cut at a row. */
  readonly row: number;
  readonly line: number | null;
  readonly file: string | undefined;
  readonly id: string;
}

export type Fault = Place & { readonly what: FindingKind };

/** A file with more faults than this is not read line by line by anyone; the first ones name the kind. */
const faultsMax = 1000;

/**
 * Pairs tool calls with results, as the next request would carry them. A compaction cuts the window: what stands before
 * it is not sent any more, so neither an open call there nor a result for one of its calls counts as sound.
 */
export class PairWindow {
  readonly #open = new Map<string, Place>();
  /** By call id: twice the row of the call, plus one where it has its result. */
  readonly #calls = new IdTable();
  #faults: Fault[] = [];
  #start = 0;

  call(place: Place): void {
    const before = this.#calls.set(place.id, place.row * 2);
    if (before !== undefined && before >> 1 >= this.#start) this.fault({ ...place, what: "duplicate_call" });
    this.#open.set(place.id, place);
  }

  result(place: Place): void {
    const call = this.#calls.get(place.id);
    if (call === undefined || call >> 1 < this.#start) this.fault({ ...place, what: "orphan_result" });
    else if (call % 2 === 1) this.fault({ ...place, what: "duplicate_result" });
    else this.#calls.set(place.id, call + 1);
    this.#open.delete(place.id);
  }

  fault(fault: Fault): void {
    if (this.#faults.length < faultsMax) this.#faults.push(fault);
  }

  /** Nothing before `row` is sent any more. */
  cutBefore(row: number): void {
    this.#start = row;
    this.#faults = this.#faults.filter((fault) => fault.row >= row);
    for (const [id, place] of this.#open) if (place.row < row) this.#open.delete(id);
  }

  /** Nothing from `row` on is sent any more (a rolled back turn). */
  cutFrom(row: number): void {
    this.#faults = this.#faults.filter((fault) => fault.row < row);
    for (const [id, place] of this.#open) if (place.row >= row) this.#open.delete(id);
  }

  get openCalls(): readonly Place[] {
    return [...this.#open.values()];
  }

  /** All faults in file order, an open call at its call. */
  faults(): readonly Fault[] {
    const open = this.openCalls.map((place) => ({ ...place, what: "open_call" as const }));
    return [...this.#faults, ...open].sort((a, b) => a.row - b.row);
  }
}
