/** An exchange that took place before this provider began: it knows what was signed there, and by whom. */
export interface RememberedExchange {
  readonly api: string;
  readonly backend: string;
  readonly request: unknown;
  readonly response: unknown;
}
