import type { CacheHabit } from "./cache-breaks.ts";
import type { RawRecord, RecordRules } from "./record-reader.ts";
import type { SessionResponses } from "./response-log.ts";
import type { RowIndex } from "./row-index.ts";
import type { AgentName, Finding } from "./transcript.ts";

/** Reads the rows of one session file into the neutral transcript, one row at a time. */
export interface SessionFold {
  visit(record: RawRecord): void;
  /** Time of the newest row so far, ms since 1970. */
  lastAt(): number;
  /** A call without a result at the very end: normal while a tool runs. */
  hasCallAtEnd(): boolean;
  /** @param live the agent is at work on this session, so an open call at the end is no fault */
  finish(live: boolean): FoldedSession;
}

export interface FoldedSession {
  readonly id: string;
  readonly findings: readonly Finding[];
  readonly habit: CacheHabit;
  /** What the agent itself says that the session has cost, sub-agents and calls without a row included. */
  readonly reportedCostUsd?: number;
}

/** Everything that is particular to an agent which keeps a session as JSON lines. */
export interface JsonlAgent {
  readonly agent: AgentName;
  readonly rules: RecordRules;
  /** Folders that may hold sessions, the newest place first. */
  homes(environment: NodeJS.ProcessEnv, home: string): readonly string[];
  /** Are these first rows of a file this agent's? */
  owns(rows: readonly Record<string, unknown>[], path: string): boolean;
  openFold(path: string, rows: RowIndex, responses: SessionResponses): SessionFold;
}
