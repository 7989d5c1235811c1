/** One change to a request, as data: a repair is a list of these before it is bytes. */
export interface RequestEdit {
  readonly op: "insert" | "drop" | "move" | "replace";
  /** JSON pointer. For `insert` and `move` the element is put before the one that stands there, or at the end. */
  readonly path: string;
  /** Where a moved element stood. */
  readonly from?: string;
  /** What is inserted or put in place: any JSON value. */
  readonly value?: unknown;
  readonly rule: string;
  readonly changes: "shape" | "option" | "content";
}
