/** Everything that the worker can be asked to do with a connection. */
import { addCounts } from "./add-counts.ts";
import { append } from "./append.ts";
import { check } from "./check.ts";
import type { Connection } from "./connection.ts";
import { counts } from "./counts.ts";
import { eraseStream } from "./erase-stream.ts";
import { latest } from "./latest.ts";
import { listOwners } from "./list-owners.ts";
import { listStreams } from "./list-streams.ts";
import { quarantine } from "./quarantine.ts";
import { read } from "./read.ts";

/** They run together in one transaction. */
export const writes = { append, quarantine, eraseStream, addCounts };
/** They see what is committed and wait for nobody. */
export const reads = {
  read,
  latest,
  listStreams,
  listOwners,
  counts,
  check,
  open: (_connection: Connection) => undefined,
};

type Operations = typeof writes & typeof reads;
export type OperationName = keyof Operations;
export type OperationArguments<Name extends OperationName> =
  Parameters<Operations[Name]> extends [Connection, ...infer Arguments] ? Arguments : never;
export type OperationResult<Name extends OperationName> = ReturnType<Operations[Name]>;

/** What travels to the worker. */
export interface Request {
  readonly id: number;
  readonly operation: OperationName;
  readonly arguments: readonly unknown[];
}

/** What travels back. Errors lose their class on the way, so they travel as their parts. */
export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly details: HoldfastErrorDetails };
}

type HoldfastErrorDetails = Readonly<Record<string, unknown>> | undefined;

export function isWrite(request: Request): boolean {
  return request.operation in writes;
}

export function runOperation(connection: Connection, request: Request): unknown {
  const operations: Readonly<Record<string, (connection: Connection, ...rest: never[]) => unknown>> = {
    ...writes,
    ...reads,
  };
  const operation = operations[request.operation] as (connection: Connection, ...rest: unknown[]) => unknown;
  return operation(connection, ...request.arguments);
}
