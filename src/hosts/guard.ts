/**
 * Code of ours inside someone else's program: whatever fails in it, the program's own value is used, and a counter says
 * so. Adapters call the engine only through this.
 */
import type { Engine } from "../engine/engine.ts";

/** The engine waits for nothing; a promise that hangs this long is lost, and the turn goes on without us. */
const DEADLINE_MS = 2_000;

/**
 * @param own what the program would have used without us
 * @param deadlineMs after which it is used although the work goes on
 */
export async function guarded<T>(
  engine: Engine,
  where: string,
  own: T,
  work: () => Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => {
    engine.count("own_failure", { where, reason: "deadline" });
    resolve(own);
  }, deadlineMs);
  try {
    return await Promise.race([work(), promise]);
  } catch {
    // Expected: anything. A failure of ours never costs the user a turn.
    engine.count("own_failure", { where, reason: "throw" });
    return own;
  } finally {
    clearTimeout(timer);
  }
}
