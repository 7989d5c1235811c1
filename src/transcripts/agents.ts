import { basename } from "node:path";
import { claudeCode } from "./claude-code/session.ts";
import { codex } from "./codex/session.ts";
import type { JsonObject } from "./json-value.ts";
import { omp } from "./omp/session.ts";
import { homes as openCodeHomes } from "./opencode/home.ts";
import { pi } from "./pi/session.ts";
import { parseObject, salvage } from "./salvage.ts";
import type { JsonlAgent } from "./session-fold.ts";
import type { AgentName } from "./transcript.ts";

/** In the order of asking: OMP's rows are Pi's with something more, and Claude Code's rule is the widest. */
const jsonlAgents: readonly JsonlAgent[] = [omp, pi, codex, claudeCode];

/** The folders where agents keep their sessions, by agent. */
export function sessionFolders(
  environment: NodeJS.ProcessEnv,
  home: string,
): readonly { readonly agent: AgentName; readonly folder: string }[] {
  const named = [claudeCode, pi, omp, codex].map(({ agent, homes }) => ({ agent, homes }));
  const all = [...named, { agent: "opencode" as const, homes: openCodeHomes }];
  return all.flatMap(({ agent, homes }) => homes(environment, home).map((folder) => ({ agent, folder })));
}

/** Names tell where a file is so damaged, or its first row so long, that no row can be read at its beginning. */
const namePatterns: readonly (readonly [RegExp, JsonlAgent])[] = [
  [/^rollout-.*\.jsonl(\.zst)?$/, codex],
  [/^(agent-|[0-9a-f]{8}-[0-9a-f]{4}-).*\.jsonl$/i, claudeCode],
  [/^\d{4}-\d\d-\d\dT.*_.*\.jsonl$/, pi],
];

/** Whose session file this is, by its first bytes; undefined for a file that is no session. */
export function agentOf(path: string, head: Buffer): JsonlAgent | undefined {
  const rows = firstRows(head);
  const owner = jsonlAgents.find((agent) => agent.owns(rows, path));
  if (owner !== undefined || rows.length > 0) return owner;
  // Without any readable row the name decides, if the content is text or nothing at all.
  const isText = head.every((byte) => byte === 0 || byte >= 0x09);
  return isText ? namePatterns.find(([pattern]) => pattern.test(basename(path)))?.[1] : undefined;
}

/** As many rows as show whose they are: what follows will be read soon enough. */
const rowsAsked = 24;

function firstRows(head: Buffer): readonly JsonObject[] {
  const rows: JsonObject[] = [];
  for (const line of head.toString("utf8").split("\n")) {
    if (rows.length >= rowsAsked) break;
    const value = parseObject(line.replace(/^\uFEFF/, ""));
    if (value !== undefined) rows.push(value);
    else rows.push(...gluedRows(line));
  }
  return rows;
}

function gluedRows(line: string): readonly JsonObject[] {
  const isRecord = (value: JsonObject) => jsonlAgents.some((agent) => agent.rules.isRecord(value));
  const pieces = salvage(line, ["parentUuid", "type", "timestamp", "uuid"], isRecord);
  return pieces.flatMap((piece) => (piece.kind === "record" ? [piece.value] : []));
}
