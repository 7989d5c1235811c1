/**
 * What an agent counts for a session beyond the rows that it wrote: compactions that the client asks for, titles and recaps
 * leave no usage row in Claude Code's files (a compaction by the provider does). A run that was killed leaves its count behind its rows, so only a surplus says something.
 */
import type { ScannedSession } from "./scan.ts";

/** In dollars; null where the agent says nothing, a price is missing, or the session begins as a copy of another. */
export function unlistedCostOf(session: ScannedSession, all: readonly ScannedSession[]): number | null {
  const { reportedCostUsd, path, hasCopies } = session;
  if (reportedCostUsd === null || hasCopies) return null;
  const subAgents = `${path.replace(/\.jsonl(\.zst)?$/, "")}/subagents/`;
  const listed = [session, ...all.filter((other) => other.path.startsWith(subAgents))];
  if (listed.some(({ unpricedModels }) => unpricedModels.length > 0)) return null;
  const surplus = reportedCostUsd - listed.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  return surplus > NOISE_USD ? surplus : 0;
}

/** Below it stand rounding and a price that changed last week. */
const NOISE_USD = 0.01;
