/** One change to a request, as data: a repair is a list of these before it is bytes. */
export interface RequestEdit {
  readonly op: "insert" | "drop" | "move" | "replace";
  /**
   * JSON pointer into the body before the edits of the same list. In an array, `insert` and `move` put the element
   * before the one that stands at the index, or at the end; in an object, `insert` adds the member.
   */
  readonly path: string;
  /** Where a moved element stood. */
  readonly from?: string;
  /** What is inserted or put in place: any JSON value; `lift(path)` inside it stands for bytes of the body. */
  readonly value?: unknown;
  readonly rule: string;
  readonly changes: Changes;
}

/** `shape`: place, pairing, ids, well-formedness, markers. `option`: a switch beside the history. `content`: what is said. */
export type Changes = "shape" | "option" | "content";

/** A value of the body, carried over in its own spelling: `1.0` stays `1.0`. */
export class Lifted {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }
}

export function lift(path: string): Lifted {
  return new Lifted(path);
}
