import type { IncomingHttpHeaders } from "node:http";
import type { MeterTurn } from "./meter/prefix-cache-meter.ts";

/** One request as it arrived, for a test to look at. */
export interface CapturedRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, spelled and ordered as sent. */
  readonly rawHeaders: readonly string[];
  /** The bytes of the body as sent: still compressed where they were. */
  readonly body: Buffer;
  /** The body as JSON (inflated), or undefined where it is none. */
  readonly json: unknown;
  /** What was answered; 0 where the connection ended without an answer. */
  status: number;
  /** The rule that rejected it, or null. */
  rejectedBy: string | null;
  /** What the cache meter counted, or null for a request that asks for no answer. */
  metered: MeterTurn | null;
}
