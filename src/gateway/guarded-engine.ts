/**
 * The engine behind a fence: whatever fails in it, the request in hand goes out as it came, and a counter says so. It is
 * the only place of the gateway that catches errors of our own.
 */
import type {
  CheckedRequest,
  Engine,
  Mode,
  ObservedRequest,
  ObservedResponse,
  ResponseRecord,
} from "../engine/engine.ts";
import type { Log } from "./log.ts";

/** The engine waits for nothing. A promise that hangs this long is lost. */
const DEADLINE_MS = 5_000;

export interface GuardedEngine {
  /** Null where the engine failed. The body differs from `request.body` only in guard mode. */
  check(request: ObservedRequest): Promise<CheckedRequest | null>;
  observe(checked: CheckedRequest, response: ObservedResponse): ResponseRecord | null;
  /** Bytes that differ from those that were rejected, or null. */
  retry(checked: CheckedRequest, rejected: ObservedResponse): Promise<CheckedRequest | null>;
  count(name: string, labels?: Readonly<Record<string, string>>): void;
}

export function guardEngine(engine: Engine, log: Log): GuardedEngine {
  const count: GuardedEngine["count"] = (name, labels) => {
    try {
      engine.count(name, labels);
    } catch (error) {
      log.ownFailure("count", error);
    }
  };
  const failed = (where: string, error: unknown): null => {
    log.ownFailure(where, error);
    count("own_failure", { where: `gateway_${where}` });
    return null;
  };
  return {
    count,
    async check(request) {
      try {
        const checked = await withDeadline(engine.checkRequest(request));
        assertUntouched(request.mode, request.body, checked.body);
        return checked;
      } catch (error) {
        return failed("check", error);
      }
    },
    observe(checked, response) {
      try {
        return engine.observeResponse(checked, response);
      } catch (error) {
        return failed("observe", error);
      }
    },
    async retry(checked, rejected) {
      try {
        const retried = await withDeadline(engine.retryAfterRejection(checked, rejected));
        // A body that was rejected once would be rejected again.
        return retried === null || Buffer.compare(retried.body, checked.body) === 0 ? null : retried;
      } catch (error) {
        return failed("retry", error);
      }
    },
  };
}

function assertUntouched(mode: Mode, given: Uint8Array, returned: Uint8Array): void {
  if (mode === "observe" && returned !== given) throw new Error("a body was changed in observe mode");
}

async function withDeadline<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer of the engine within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
