/** What a case of the starter corpus is made of. */
import type { Api, Backend } from "../../src/wire/api.ts";
import type { PlainRow } from "./positional-comparer.ts";

export interface StarterCase {
  readonly id: string;
  readonly api: Api;
  readonly backend: Backend;
  readonly body: object;
  /** The rows that the host meant to send, where its encoder made others of them. */
  readonly prepared?: readonly PlainRow[];
  /** Earlier exchanges of the session. */
  readonly received?: readonly object[];
}
