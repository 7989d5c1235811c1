/**
 * Failure memory (DG-40 to DG-43): a comparison that was wrong once is remembered and not made again for the same shape,
 * so that one unmodelled habit of a host is one line in the log. Pure: the memory is a value.
 */
import type { Divergence } from "../dispatch/verdict.ts";

export interface ShapeMemory {
  readonly api: string;
  readonly model: string | null;
  /** Shapes seen in this lane. */
  readonly shapes: readonly string[];
  /** The running operation is not compared any more. */
  readonly skips: boolean;
}

export interface ShapeContext {
  readonly host: string;
  readonly api: string;
  readonly model: string | null;
  /** Rows at the socket minus rows that were prepared: the count itself grows every turn and says nothing. */
  readonly rowDifference: number;
}

export const NO_SHAPES = (api: string, model: string | null): ShapeMemory => ({ api, model, shapes: [], skips: false });

/** At the start of a request: another api or model begins anew, a new operation compares unless a shape is known. */
export function beforeComparison(
  memory: ShapeMemory,
  next: { api: string; model: string | null; opensOperation: boolean },
): ShapeMemory {
  if (memory.api !== next.api || memory.model !== next.model) return NO_SHAPES(next.api, next.model);
  return next.opensOperation ? { ...memory, skips: memory.shapes.length > 0 } : memory;
}

/** After a comparison. `fresh` is the shape that is new to this lane, for one line in the log; null where there is none. */
export function afterComparison(
  memory: ShapeMemory,
  divergences: readonly Divergence[],
  context: ShapeContext,
): { memory: ShapeMemory; fresh: string | null } {
  if (divergences.length === 0) return { memory, fresh: null };
  const key = shapeKey(divergences, context);
  if (memory.shapes.includes(key)) return { memory: { ...memory, skips: true }, fresh: null };
  return { memory: { ...memory, shapes: [...memory.shapes, key].slice(-SHAPES_MAX), skips: true }, fresh: key };
}

/** A lane with more habits than this has no shape worth remembering. */
const SHAPES_MAX = 32;

export function shapeKey(
  divergences: readonly Divergence[],
  { host, api, model, rowDifference }: ShapeContext,
): string {
  const classes = divergences.map(({ class: name, kinds }) => (kinds === undefined ? name : `${name}(${kinds})`));
  const sorted = classes.toSorted((a, b) => (a < b ? -1 : 1));
  return [host, api, model ?? "", sorted.join("+"), String(rowDifference)].join("|");
}
