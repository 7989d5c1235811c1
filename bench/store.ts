/**
 * What does the event store cost, against the plain disk and the plain drivers? Run: `node bench/store.ts [--json]`.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { EventStore, NewEvent, Owner } from "../src/store/event-store.ts";
import { openPostgresStore } from "../src/store/postgres/open-store.ts";
import { append } from "../src/store/sqlite/append.ts";
import { latest } from "../src/store/sqlite/latest.ts";
import { openConnection } from "../src/store/sqlite/open-connection.ts";
import { openSqliteStore } from "../src/store/sqlite/open-store.ts";
import { startPostgres } from "../test/store/postgres-server.ts";
import { BARE_INSERT, openBareTable, startBareThread } from "./bare-thread.ts";
import { type Contest, runContests } from "./contest.ts";
import { repeat, repeatNow, type Side } from "./race.ts";
import { report } from "./report.ts";

const ROUNDS = 15;
/** A repair recipe or a small plan. */
const EVENT_BYTES = 2_000;
const GROUP_SIZE = 32;
const STREAMS_AT_ONCE = [8, 64] as const;

const owner: Owner = { tenant: "bench", principal: "bench" };
const event: NewEvent = {
  type: "context.plan.created",
  data: Buffer.from(JSON.stringify({ v: 1, filler: "x".repeat(EVENT_BYTES - 17) })),
};
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
let streamCount = 0;
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];

try {
  const contests = [...(await sqliteContests()), ...(await postgresContests())];
  report("store", await runContests(contests, ROUNDS));
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

async function sqliteContests(): Promise<readonly Contest[]> {
  const store = await openSqliteStore(join(folder, "store.db"));
  cleanups.push(() => store.close());
  const inThread = openConnection(join(folder, "in-thread.db"));
  cleanups.push(() => inThread.db.close());
  const full = bareDatabase("full");
  const normal = bareDatabase("normal");
  const appendInThread = appender((stream, version) => {
    inThread.db.exec("begin immediate");
    append(inThread, owner, stream, version, [event]);
    inThread.db.exec("commit");
  });
  const appendToStore = storeAppender(store);
  const thread = startBareThread(join(folder, "bare-thread.db"));
  cleanups.push(() => thread.close());
  const insertInThread = appender((stream, version) => thread.insert({ stream, version, ...event }));
  await store.append(owner, "session/read", 0, Array(100).fill(event));
  inThread.db.exec("begin immediate");
  append(inThread, owner, "session/read", 0, Array(100).fill(event));
  inThread.db.exec("commit");
  const conflict = () => store.append(owner, "session/read", 1, [event]);

  return [
    {
      id: "BM-S1",
      name: "store append / file append + fdatasync",
      left: appendToStore,
      right: fileAppender(),
      max: 1.25,
    },
    {
      id: "BM-S1",
      name: "layer append / file append + fdatasync",
      left: appendInThread,
      right: fileAppender(),
      max: 1.25,
    },
    { id: "BM-S1", name: "statement FULL / statement NORMAL", left: full.insert, right: normal.insert, min: 3 },
    {
      id: "BM-S1",
      name: `store append alone / ${GROUP_SIZE} at once`,
      left: appendToStore,
      right: () => group(store),
      min: 6,
    },
    ...STREAMS_AT_ONCE.map((count) => ({
      id: "-",
      name: `store append, 1 stream / ${count} streams at once`,
      left: appendToStore,
      right: () => streams(store, count),
    })),
    { id: "BM-S2", name: "layer append / bare statement", left: appendInThread, right: full.insert, max: 1.25 },
    { id: "BM-S2", name: "store append (worker) / bare statement", left: appendToStore, right: full.insert, max: 1.25 },
    {
      id: "BM-S2",
      name: "store append (worker) / bare statement in a thread",
      left: appendToStore,
      right: insertInThread,
      max: 1.25,
    },
    {
      id: "-",
      name: "bare statement in a thread / bare statement",
      left: insertInThread,
      right: full.insert,
      // Informative: the price of a thread that no lock and no slow disk can freeze.
    },
    {
      id: "BM-S2",
      name: "store conflict / store append",
      left: () => repeat(50, conflict),
      right: appendToStore,
      max: 1,
    },
    {
      id: "BM-S2",
      name: "layer latest / bare get",
      left: () => repeatNow(500, () => latest(inThread, owner, "session/read", event.type)),
      right: full.get,
      max: 3,
    },
    {
      id: "BM-S2",
      name: "store latest (worker) / bare get",
      left: () => repeat(500, () => store.latest(owner, "session/read", event.type)),
      right: full.get,
      // Informative, as above.
    },
  ];
}

async function postgresContests(): Promise<readonly Contest[]> {
  const server = await startPostgres(true);
  cleanups.push(() => server.stop());
  const url = await server.createDatabase();
  const one = await openPostgresStore(url, { connectionsMax: 1 });
  const sixteen = await openPostgresStore(url, { connectionsMax: 16 });
  const sql = postgres(url, { max: 1 });
  cleanups.push(() => Promise.all([one.close(), sixteen.close(), sql.end()]));
  await sql`create table bare (stream text, version int, type text, data bytea, primary key (stream, version))`;
  const insert = appender(
    (stream, version) =>
      sql`insert into bare values (${stream}, ${version}, ${event.type}, ${event.data}) on conflict do nothing returning version`,
  );
  await one.append(owner, "session/read", 0, [event, event]);
  await sql`insert into bare values ('read', 1, ${event.type}, ${event.data}), ('read', 2, ${event.type}, ${event.data})`;
  const backends = async () =>
    (await sql`select pid from pg_stat_activity where application_name = 'holdfast'`).map((row) => row.pid);
  const appendToOne = storeAppender(one);
  const conflictWithoutLoss = async () => {
    const before = await backends();
    const operations = await repeat(50, () => one.append(owner, "session/read", 1, [event]));
    const after = await backends();
    if (before.some((pid) => !after.includes(pid))) throw new Error("a conflict cost a connection");
    return operations;
  };

  return [
    { id: "BM-S3", name: "PostgreSQL append / bare driver insert", left: appendToOne, right: insert, max: 1.3 },
    ...STREAMS_AT_ONCE.map((count) => ({
      id: count === 64 ? "BM-S3" : "-",
      name: `1 connection / 16, ${count} streams`,
      left: appendToOne,
      right: () => streams(sixteen, count),
      ...(count === 64 && { min: 1.8 }),
    })),
    {
      id: "BM-S2",
      name: "PostgreSQL latest / bare driver select",
      left: () => repeat(50, () => one.latest(owner, "session/read", event.type)),
      right: () =>
        repeat(50, async () => await sql`select * from bare where stream = 'read' order by version desc limit 1`),
      max: 3,
    },
    { id: "BM-S3", name: "conflict / append, 0 reconnects", left: conflictWithoutLoss, right: appendToOne, max: 1 },
  ];
}

/** A table as plain as it can be: what the store's layer is measured against. */
function bareDatabase(synchronous: "full" | "normal"): { insert: Side; get: Side } {
  const db = openBareTable(join(folder, `bare-${synchronous}.db`), synchronous);
  cleanups.push(() => db.close());
  const statement = db.prepare(BARE_INSERT);
  for (let version = 1; version <= 100; version += 1) statement.run("session/read", version, event.type, event.data);
  const select = db.prepare("select * from events where stream = ? order by version desc limit 1");
  return {
    insert: appender((stream, version) => void statement.run(stream, version, event.type, event.data)),
    get: () => repeatNow(500, () => select.get("session/read")),
  };
}

function fileAppender(): Side {
  const file = openSync(join(folder, "plain"), "a");
  cleanups.push(() => closeSync(file));
  return () =>
    repeatNow(50, () => {
      writeSync(file, event.data);
      fdatasyncSync(file);
    });
}

function storeAppender(store: EventStore): Side {
  return appender((stream, version) => store.append(owner, stream, version, [event]));
}

/** Fifty appends, one after the other, to a stream of their own. */
function appender(appendOne: (stream: string, version: number) => unknown): Side {
  return async () => {
    streamCount += 1;
    const stream = `session/${streamCount}`;
    for (let version = 0; version < 50; version += 1) await appendOne(stream, version);
    return 50;
  };
}

async function group(store: EventStore): Promise<number> {
  for (let batch = 0; batch < 4; batch += 1) {
    streamCount += 1;
    const names = Array.from({ length: GROUP_SIZE }, (_, n) => `session/${streamCount}/${n}`);
    await Promise.all(names.map((name) => store.append(owner, name, 0, [event])));
  }
  return 4 * GROUP_SIZE;
}

async function streams(store: EventStore, count: number): Promise<number> {
  streamCount += 1;
  const names = Array.from({ length: count }, (_, n) => `session/${streamCount}/${n}`);
  await Promise.all(
    names.map(async (name) => {
      for (let version = 0; version < 4; version += 1) await store.append(owner, name, version, [event]);
    }),
  );
  return 4 * count;
}
