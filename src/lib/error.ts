/**
 * The one error class for a broken environment: a store that cannot be opened, a config that is not valid, a port that
 * is taken. Expected outcomes are return values; programmer errors are asserts.
 */

const marker = Symbol.for("holdfast.error");

export interface HoldfastErrorOptions {
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
}

export class HoldfastError extends Error {
  /** `snake_case`, stable: programs match on it. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly [marker] = true;

  /** @param message what happened, with which value, and what to do next; it is shown to a person as it is */
  constructor(code: string, message: string, options: HoldfastErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HoldfastError";
    this.code = code;
    this.details = options.details;
  }
}

/** A host and a plugin may load two copies of the package, so `instanceof` is not enough. */
export function isHoldfastError(value: unknown): value is HoldfastError {
  return typeof value === "object" && value !== null && marker in value;
}
