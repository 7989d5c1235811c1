import { IdTable } from "./id-table.ts";
import { NumberTable } from "./number-table.ts";

/** The rows of one file by number and by id: the reader finds duplicates in it, the transcript finds parents. */
export class RowIndex {
  readonly #rowById = new IdTable();
  readonly #lengths = new NumberTable([], ["chars"]);

  /** How many rows there are: the number of the next one. */
  get count(): number {
    return this.#lengths.count;
  }

  /** Adds a row and returns its number; of two rows with one id, the later one has it from then on. */
  add(id: string | undefined, chars: number): number {
    const row = this.#lengths.add({ chars });
    if (id !== undefined) this.#rowById.set(id, row);
    return row;
  }

  /** The length of the row with this id, if there is one. */
  charsOf(id: string): number | undefined {
    const row = this.#rowById.get(id);
    return row === undefined ? undefined : this.#lengths.get(row, "chars");
  }

  find(id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#rowById.get(id);
  }
}
