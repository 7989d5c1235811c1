import { readFile, stat } from "node:fs/promises";
import { isHoldfastError } from "../../lib/error.ts";
import { listOf, objectOf, textOf } from "../json-value.ts";
import { isGrowing } from "../read-records.ts";
import type { ResponseLog, SessionResponses } from "../response-log.ts";
import { parseObject, salvage } from "../salvage.ts";
import type { FoldedSession } from "../session-fold.ts";
import { RecordTally } from "../transcript.ts";
import { openDatabase } from "./database.ts";
import { MessageFold } from "./message-fold.ts";
import { isExport, type MessageRow } from "./row.ts";
import { findStoredSessions } from "./storage.ts";

export interface OpenCodeSession {
  readonly path: string;
  readonly tally: RecordTally;
  readonly folded: FoldedSession;
  readonly responses: SessionResponses;
}

export interface OpenCodeOptions {
  readonly log: ResponseLog;
  /** Number of the next session in the log. */
  readonly nextSession: () => number;
  readonly now: number;
  /** Sessions that nobody touched since are left out; ms since 1970. */
  readonly since: number;
}

/** An export is read whole; a bigger one would not fit the memory promised. */
const exportBytesMax = 64 * 1024 * 1024;

/** Every session of the database. A damaged one gives what can be read of it. */
export async function* readDatabase(path: string, options: OpenCodeOptions): AsyncGenerator<OpenCodeSession> {
  const database = await openDatabase(path);
  try {
    for (const session of database.sessions()) {
      if (session.updatedAt < options.since) continue;
      const tally = new RecordTally();
      yield await foldSession(session.id, path, tally, database.messages(session.id, tally), options);
    }
  } finally {
    database.close();
  }
}

/** Every session of the older tree below `root`, the folder that holds `message` and `part`. */
export async function* readStorage(root: string, options: OpenCodeOptions): AsyncGenerator<OpenCodeSession> {
  for (const session of await findStoredSessions(root, options.now)) {
    if ((await stat(session.path)).mtimeMs < options.since) continue;
    yield await foldSession(session.id, session.path, session.tally, session.messages(), options);
  }
}

/** The one session of an export. Of a cut export the whole messages are read. */
export async function readExport(path: string, options: OpenCodeOptions): Promise<OpenCodeSession | undefined> {
  if ((await stat(path)).size > exportBytesMax) return undefined;
  const text = await readFile(path, "utf8");
  const value = parseObject(text);
  if (value !== undefined && !isExport(value)) return undefined;
  const tally = new RecordTally();
  const rows = value === undefined ? salvageMessages(text, tally) : listOf(value.messages);
  const messages = rows.flatMap((row) => toMessage(row) ?? []);
  const id = textOf(objectOf(value?.info)?.id) ?? textOf(messages[0]?.info.sessionID);
  if (id === undefined) return undefined;
  tally.lines += messages.length;
  if (value !== undefined) tally.good += messages.length;
  return await foldSession(id, path, tally, messages, options);
}

async function foldSession(
  id: string,
  path: string,
  tally: RecordTally,
  messages: Iterable<MessageRow> | AsyncIterable<MessageRow>,
  options: OpenCodeOptions,
): Promise<OpenCodeSession> {
  const responses = options.log.openSession(options.nextSession());
  const fold = new MessageFold(responses);
  try {
    for await (const message of messages) fold.visit(message);
  } catch (error) {
    // Expected: a damaged page or a file that went away. What was read before it counts.
    if (isHoldfastError(error)) throw error;
    tally.lost += 1;
    tally.note({ line: null, kind: "unreadable", recovered: false, file: path });
  }
  const { size } = await stat(path);
  const live = fold.hasCallAtEnd() && (await isGrowing(path, size, fold.lastAt(), options.now));
  return { path, tally, folded: fold.finish(id, live), responses };
}

function toMessage(row: unknown): MessageRow | undefined {
  const info = objectOf(objectOf(row)?.info);
  if (info === undefined) return undefined;
  const parts = listOf(objectOf(row)?.parts).flatMap((part) => {
    const found = objectOf(part);
    return found === undefined ? [] : [{ part: found, file: undefined }];
  });
  return { info, parts };
}

function salvageMessages(text: string, tally: RecordTally): readonly unknown[] {
  const pieces = salvage(text, ["info"], (value) => Array.isArray(value.parts));
  const records = pieces.filter((piece) => piece.kind === "record");
  tally.recovered += records.length;
  tally.lost += 1;
  tally.note({ line: null, kind: "torn_tail", recovered: false });
  return records.map((piece) => piece.value);
}
