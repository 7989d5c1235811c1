/**
 * Structured logs without content: no header, no path (a query may hold a key), no body, only what the engine's records
 * say and what became of the exchange.
 */
import { type DestinationStream, pino } from "pino";
import type { TurnEntry, WaitingTurn } from "./turn-log.ts";

export interface Log {
  /** As soon as it is known; the turn's own line says it once more. */
  prefix(turn: WaitingTurn): void;
  turn(entry: TurnEntry): void;
  started(details: Readonly<Record<string, unknown>>): void;
  modeSwitched(upstream: string, mode: string): void;
  ownFailure(where: string, error: unknown): void;
  closed(): void;
}

export interface LogOptions {
  readonly level?: "silent" | "error" | "warn" | "info" | "debug";
  /** Where the JSON lines go; standard error by default, as standard output belongs to the command line. */
  readonly destination?: DestinationStream;
}

export function createLog({ level = "info", destination = pino.destination(2) }: LogOptions = {}): Log {
  const logger = pino({ level, base: null }, destination);
  return {
    prefix: (turn) => logger.info(turn, turn.prefix.cause === "unknown" ? "prefix not compared" : "prefix moved"),
    turn: (entry) => logger.info(entry, "turn"),
    started: (details) => logger.info(details, "gateway started"),
    modeSwitched: (upstream, mode) => logger.warn({ upstream, mode }, "mode switched"),
    // Only the place and the kind: an error of ours may quote the request that it failed on.
    ownFailure: (where, error) =>
      logger.error({ where, ...failureOf(error) }, "own failure, the request goes on as it came"),
    closed: () => logger.info("gateway closed"),
  };
}

function failureOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const place = error.stack?.split("\n").find((line) => line.trimStart().startsWith("at "));
  return { error: error.name, code: (error as NodeJS.ErrnoException).code, place: place?.trim() };
}
