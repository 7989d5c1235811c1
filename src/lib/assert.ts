/**
 * For mistakes of our own. The module of Node's is loaded by the first thing that does not hold: every command would wait
 * for it, and none needs it.
 */
export function assert(holds: unknown, message: string): asserts holds {
  if (holds) return;
  const { AssertionError } = process.getBuiltinModule("node:assert");
  throw new AssertionError({ message, stackStartFn: assert });
}
