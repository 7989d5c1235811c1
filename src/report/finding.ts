/** What check, diff, scan and replay found, in one neutral form for every machine format. */

export interface Finding {
  /** Stable, for example a rule id or `prefix/tool_order`. */
  readonly id: string;
  readonly level: "error" | "warning" | "note";
  readonly message: string;
  /** As the person named it; `-` for stdin. */
  readonly file: string;
  /** One-based. */
  readonly line?: number;
  /** JSON pointer into the request. */
  readonly path?: string;
  /** Where the rule behind the id is explained. */
  readonly helpUri?: string;
}
