import { IdTable } from "./id-table.ts";

/**
 * Who follows whom in a file whose rows name their parent. Agents that rewind or branch leave dead twigs behind; only
 * the branch that ends at the newest row is sent.
 */
export class RowTree {
  readonly #rowById = new IdTable();
  #parents = new Int32Array(1024);
  #responses = new Int32Array(1024);
  #count = 0;

  /**
   * Adds a row and returns its number. A parent that the file does not hold was lost to damage: the row then follows
   * the one before it in the file.
   * @param parent null for a root
   */
  add(id: string, parent: string | null | undefined): number {
    const row = this.#count++;
    if (row === this.#parents.length) {
      this.#parents = widened(this.#parents);
      this.#responses = widened(this.#responses);
    }
    this.#parents[row] = parent === null ? -1 : (this.find(parent) ?? row - 1);
    this.#responses[row] = this.responseBefore(row);
    this.#rowById.set(id, row);
    return row;
  }

  find(id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#rowById.get(id);
  }

  parentOf(row: number): number {
    return this.#parents[row]!;
  }

  /** The newest response on the branch before `row`, or -1. */
  responseBefore(row: number): number {
    const parent = this.parentOf(row);
    return parent < 0 ? -1 : this.#responses[parent]!;
  }

  /** The rows behind `row` continue this response; -1 where they begin a new prompt. */
  setResponse(row: number, response: number): void {
    this.#responses[row] = response;
  }

  /** One byte for each row: 1 on the branch from the root to `leaf`. */
  branchTo(leaf: number): Uint8Array {
    const branch = new Uint8Array(this.#count);
    for (let row = leaf; row >= 0; row = this.parentOf(row)) branch[row] = 1;
    return branch;
  }

  /** The rows from the root to `leaf`, in order. Parents stand before their children, so this always ends. */
  pathTo(leaf: number): readonly number[] {
    const path: number[] = [];
    for (let row = leaf; row >= 0; row = this.parentOf(row)) path.push(row);
    return path.reverse();
  }
}

function widened(column: Int32Array): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(column.length * 2);
  wider.set(column);
  return wider;
}
