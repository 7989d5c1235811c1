import { NumberTable } from "./number-table.ts";
import type { RowIndex } from "./row-index.ts";

/**
 * Who follows whom in a file whose rows name their parent. Agents that rewind or branch leave dead twigs behind; only
 * the branch that ends at the newest row is sent.
 */
export class RowTree {
  readonly #rows: RowIndex;
  readonly #table = new NumberTable([], ["parent", "response"]);

  constructor(rows: RowIndex) {
    this.#rows = rows;
  }

  /**
   * Adds the row that the index just took. A parent that the file does not hold was lost to damage: the row then
   * follows the one before it in the file.
   * @param parent null for a root
   */
  add(row: number, parent: string | null | undefined): void {
    // A row that takes part in no chain leaves a gap behind, which just follows on.
    while (this.#table.count < row) this.#append(this.#table.count - 1);
    const found = parent === null ? -1 : (this.#rows.find(parent) ?? row - 1);
    // A row cannot follow itself, nor one behind it: parents stand before their children, so that walks end.
    this.#append(Math.min(found, row - 1));
  }

  #append(parent: number): void {
    this.#table.add({ parent, response: parent < 0 ? -1 : this.#table.get(parent, "response") });
  }

  parentOf(row: number): number {
    return this.#table.get(row, "parent");
  }

  /** The newest response on the branch before `row`, or -1. */
  responseBefore(row: number): number {
    const parent = this.parentOf(row);
    return parent < 0 ? -1 : this.#table.get(parent, "response");
  }

  /** The rows behind `row` continue this response; -1 where they begin a new prompt. */
  setResponse(row: number, response: number): void {
    this.#table.set(row, "response", response);
  }

  /** One byte for each row: 1 on the branch from the root to `leaf`. */
  branchTo(leaf: number): Uint8Array {
    const branch = new Uint8Array(this.#table.count);
    for (let row = leaf; row >= 0; row = this.parentOf(row)) branch[row] = 1;
    return branch;
  }

  /** The rows from the root to `leaf`, in order. */
  pathTo(leaf: number): readonly number[] {
    const path: number[] = [];
    for (let row = leaf; row >= 0; row = this.parentOf(row)) path.push(row);
    return path.reverse();
  }
}
