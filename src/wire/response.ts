/** What a finished answer says about itself: tokens, ids, the provider's own diagnosis, the error. */
import type { JsonObject } from "./request.ts";

export interface WireResponse {
  readonly id: string | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  /** The rows as the client has to send them back, joined from the events of a stream; empty where the answer is not whole. */
  readonly rows: readonly JsonObject[];
  readonly stopReason: string | null;
  /** The provider's word on a lost cache (`cache_miss_reason`, `prompt_cache_diagnostics`), as it stands. */
  readonly diagnosis: JsonObject | null;
  readonly error: ProviderError | null;
}

/** Token counts of one response in the field's words. */
export interface Usage {
  /** Tokens read at full price: neither read from the cache nor written to it. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Part of `cacheWriteTokens` that lives for one hour. */
  readonly cacheWrite1hTokens: number;
  readonly outputTokens: number;
}

export interface ProviderError {
  readonly status: number;
  /** Machine code or error type, where there is one. */
  readonly code: string | null;
  readonly message: string;
}

export const NOTHING_SAID: WireResponse = {
  id: null,
  model: null,
  usage: null,
  rows: [],
  stopReason: null,
  diagnosis: null,
  error: null,
};
