/** How a store behaves towards the process that opens it. */
export interface StoreOptions {
  /** How long opening waits for other processes; without it, as long as a migration may take. */
  readonly openWaitMs?: number;
  /**
   * How long an answer that is waited for keeps the process from ending; without it, until it comes. Somebody else's
   * program must not hang at its exit because the file is locked.
   */
  readonly holdProcessMs?: number;
}
