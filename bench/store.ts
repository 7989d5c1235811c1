/**
 * What does the event store cost, against the plain disk and the plain drivers? Run: `node bench/store.ts [--json]`.
 * Ratios only: both sides of each run in turn on the same machine, and the median of the rounds counts.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import postgres from "postgres";
import type { EventStore, NewEvent, Owner } from "../src/store/event-store.ts";
import { openPostgresStore } from "../src/store/postgres/open-store.ts";
import { append } from "../src/store/sqlite/append.ts";
import { latest } from "../src/store/sqlite/latest.ts";
import { openConnection } from "../src/store/sqlite/open-connection.ts";
import { openSqliteStore } from "../src/store/sqlite/open-store.ts";
import { startPostgres } from "../test/store/postgres-server.ts";

const rounds = 15;
/** A repair recipe or a small plan. */
const eventBytes = 2_000;
const groupSize = 32;
const streamsAtOnce = 64;

interface Contest {
  readonly id: string;
  readonly name: string;
  /** The ratio is the time of one operation of `left` over one of `right`. */
  readonly left: Side;
  readonly right: Side;
  readonly min?: number;
  readonly max?: number;
}

/** Runs a round and returns the number of operations in it. */
type Side = () => number | Promise<number>;

interface Result {
  readonly id: string;
  readonly name: string;
  readonly ratio: number;
  readonly leftMicroseconds: number;
  readonly rightMicroseconds: number;
  readonly goal: string;
  readonly reached: boolean;
}

const owner: Owner = { tenant: "bench", principal: "bench" };
const event: NewEvent = {
  type: "context.plan.created",
  data: Buffer.from(JSON.stringify({ v: 1, filler: "x".repeat(eventBytes - 17) })),
};
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
let streamCount = 0;
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];

try {
  const results = await runContests([...(await sqliteContests()), ...(await postgresContests())]);
  print(results);
  process.exitCode = results.every(({ reached }) => reached) ? 0 : 1;
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
    { id: "BM-S1", name: "statement FULL / statement NORMAL", left: full.insert, right: normal.insert, min: 3 },
    {
      id: "BM-S1",
      name: `store append alone / ${groupSize} at once`,
      left: appendToStore,
      right: () => group(store),
      min: 6,
    },
    { id: "BM-S2", name: "layer append / bare statement", left: appendInThread, right: full.insert, max: 1.25 },
    { id: "BM-S2", name: "store append (worker) / bare statement", left: appendToStore, right: full.insert, max: 1.25 },
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
      // Informative: the price of a thread that no lock can freeze.
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
    {
      id: "BM-S3",
      name: `1 connection / 16, ${streamsAtOnce} streams`,
      left: appendToOne,
      right: () => streams(sixteen),
      min: 1.8,
    },
    { id: "BM-S3", name: "conflict / append, 0 reconnects", left: conflictWithoutLoss, right: appendToOne, max: 1 },
  ];
}

async function runContests(contests: readonly Contest[]): Promise<readonly Result[]> {
  const times = contests.map(() => ({ left: [] as number[], right: [] as number[], ratio: [] as number[] }));
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, contest] of contests.entries()) {
      const sides = { left: 0, right: 0 };
      const order = round % 2 === 0 ? (["left", "right"] as const) : (["right", "left"] as const);
      for (const side of order) {
        const start = performance.now();
        const operations = await contest[side]();
        sides[side] = ((performance.now() - start) * 1000) / operations;
      }
      // The first round warms up.
      if (round < 0) continue;
      times[index]!.left.push(sides.left);
      times[index]!.right.push(sides.right);
      times[index]!.ratio.push(sides.left / sides.right);
    }
  }
  return contests.map(({ id, name, min, max }, index) => {
    const ratio = median(times[index]!.ratio);
    return {
      id,
      name,
      ratio,
      leftMicroseconds: median(times[index]!.left),
      rightMicroseconds: median(times[index]!.right),
      goal: min !== undefined ? `>= ${min}` : max !== undefined ? `<= ${max}` : "",
      reached: ratio >= (min ?? 0) && ratio <= (max ?? Number.POSITIVE_INFINITY),
    };
  });
}

/** A table as plain as it can be: what the store's layer is measured against. */
function bareDatabase(synchronous: "full" | "normal"): { insert: Side; get: Side } {
  const db = new DatabaseSync(join(folder, `bare-${synchronous}.db`));
  cleanups.push(() => db.close());
  db.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}`);
  db.exec("create table events (stream text, version integer, type text, data blob, unique (stream, version))");
  const statement = db.prepare("insert into events values (?, ?, ?, ?)");
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
    const names = Array.from({ length: groupSize }, (_, n) => `session/${streamCount}/${n}`);
    await Promise.all(names.map((name) => store.append(owner, name, 0, [event])));
  }
  return 4 * groupSize;
}

async function streams(store: EventStore): Promise<number> {
  streamCount += 1;
  const names = Array.from({ length: streamsAtOnce }, (_, n) => `session/${streamCount}/${n}`);
  await Promise.all(
    names.map(async (name) => {
      for (let version = 0; version < 4; version += 1) await store.append(owner, name, version, [event]);
    }),
  );
  return 4 * streamsAtOnce;
}

async function repeat(times: number, run: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < times; n += 1) await run();
  return times;
}

function repeatNow(times: number, run: () => unknown): number {
  for (let n = 0; n < times; n += 1) run();
  return times;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function print(results: readonly Result[]): void {
  if (process.argv.includes("--json")) {
    console.log(JSON.stringify({ schema: 1, rounds, results }, null, 2));
    return;
  }
  for (const { id, name, ratio, leftMicroseconds, rightMicroseconds, goal, reached } of results) {
    const microseconds = `${leftMicroseconds.toFixed(0)} / ${rightMicroseconds.toFixed(0)} µs`;
    console.log(
      `${id}  ${name.padEnd(40)} ${ratio.toFixed(2).padStart(6)} ${goal.padEnd(8)} ${(reached ? "ok" : "MISSED").padEnd(7)} ${microseconds}`,
    );
  }
}
