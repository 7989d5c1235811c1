/** What happens to a shared store in a bad environment: a clear error, no lost connection, nothing lost. */
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { EventStore } from "../../src/store/event-store.ts";
import { migrations } from "../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../src/store/postgres/open-store.ts";
import { emptyDatabase, type PostgresServer, startPostgres } from "./postgres-server.ts";
import { ada, event, text } from "./sample-events.ts";

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
});
afterAll(() => server?.stop());
beforeEach(() => emptyDatabase(url));

test("PI-15 jsonb stands beside the bytes where it can hold the document, and is null where it cannot", async () => {
  const { store, sql } = await open();
  const documents: readonly (readonly [string, boolean])[] = [
    ['{"v":1,"n":1.0,"z":{"b":1,"a":2}}', true],
    ['{"v":1,"text":"\\u0000"}', false],
    ['{"v":1,"text":"\\ud800"}', false],
    ['{"v":1,"n":1e400000}', false],
    [`${"[".repeat(10_000)}${"]".repeat(10_000)}`, false],
    ["not json", false],
  ];
  await store.append(
    ada,
    "s",
    0,
    documents.map(([data]) => ({ type: "t", data: new TextEncoder().encode(data) })),
  );

  const rows = await sql`select data_json is not null as indexed from holdfast.events order by position`;
  expect(rows.map((row) => row.indexed)).toEqual(documents.map(([, indexed]) => indexed));
  expect((await store.read(ada, "s")).map(({ data }) => text(data))).toEqual(documents.map(([data]) => data));
  expect(
    (await sql`select count(*)::int as found from holdfast.events where data_json -> 'z' ->> 'a' = '2'`)[0]?.found,
  ).toBe(1);
});

test("PI-12 what was erased is in no row, neither as bytes nor as jsonb", async () => {
  const { store, sql } = await open();
  await store.append(ada, "s", 0, [event("forgotten"), event("also")]);
  await store.append(ada, "t", 0, [event("stays")]);
  await store.eraseStream(ada, "s");

  const rows =
    await sql`select octet_length(data) as bytes, data_json::text as json from holdfast.events order by position`;
  expect(rows.map(({ bytes, json }) => [bytes, json])).toEqual([
    [0, null],
    [0, null],
    [7, '"stays"'],
  ]);
});

test("RT-1 conflicts cost no connection, also many at once", async () => {
  const { store, sql } = await open();
  await store.append(ada, "s", 0, [event(1)]);
  const before = await backends(sql);

  for (let round = 0; round < 20; round += 1) {
    const results = await Promise.all([0, 0, 7].map((expected) => store.append(ada, "s", expected, [event("late")])));
    expect(results).toEqual(Array(3).fill({ kind: "conflict", version: 1 }));
  }

  const after = await backends(sql);
  expect(before.length).toBeGreaterThan(0);
  expect(before.filter((pid) => !after.includes(pid))).toEqual([]);
});

test("RT-1 the pool holds no more connections than it was told", async () => {
  const { store, sql } = await open(2);
  await Promise.all(Array.from({ length: 40 }, (_, n) => store.append(ada, `s${n}`, 0, [event(n)])));

  expect((await backends(sql)).length).toBeLessThanOrEqual(2);
  expect(await store.listStreams(ada)).toHaveLength(40);
});

test("RT-1 events follow each other in a stream while a foreign transaction holds another one", async () => {
  const { store, sql } = await open();
  await store.append(ada, "held", 0, [event(1)]);
  const held = Promise.withResolvers<void>();
  const transaction = sql.begin(async (foreign) => {
    await foreign`select * from holdfast.streams where name = 'held' for update`;
    await held.promise;
  });
  const waiting = store.append(ada, "held", 1, [event("late")]);

  expect(await store.append(ada, "free", 0, [event(1)])).toMatchObject({ kind: "appended" });
  held.resolve();
  await transaction;
  expect(await waiting).toMatchObject({ kind: "appended", version: 2 });
});

test("DG-73 one event whose bytes changed is left out and counted; its neighbours are read", async () => {
  const { store, sql } = await open();
  await store.append(ada, "s", 0, [event(1), event(2), event(3)]);
  await sql`update holdfast.events set data = '\\x7b' where version = 3`;

  expect(await store.latest(ada, "s", "thing.happened")).toMatchObject({ version: 2 });
  expect((await store.read(ada, "s")).map(({ version }) => version)).toEqual([1, 2]);
  expect((await store.check()).quarantinedEvents).toBe(1);
});

test("DG-73 a database of a newer schema is refused with what to do", async () => {
  const { sql } = await open();
  await sql`insert into holdfast.migrations (version) values (${migrations.length + 1})`;

  await expect(openPostgresStore(url)).rejects.toMatchObject({
    code: "store_schema_newer",
    message: expect.stringMatching(/newer.*update/s),
  });
});

test("DG-74 a locked table is waited for without stopping the process; the answer is there when the lock ends", async () => {
  const { store, sql } = await open();
  await store.append(ada, "s", 0, [event(1)]);
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const transaction = sql.begin(async (foreign) => {
    await foreign`lock table holdfast.events in access exclusive mode`;
    locked.resolve();
    await held.promise;
  });
  await locked.promise;

  const answer = store.latest(ada, "s", "thing.happened");
  expect(await Promise.race([answer, new Promise((resolve) => setImmediate(() => resolve("still waiting")))])).toBe(
    "still waiting",
  );
  held.resolve();
  await transaction;
  expect((await answer)?.version).toBe(1);
});

test("DG-74 a read-only server is read; a write and the check say so", async () => {
  const { store, sql } = await open();
  await store.append(ada, "s", 0, [event(1)]);
  const readOnly = new URL(url);
  readOnly.searchParams.set("default_transaction_read_only", "on");
  const standby = await openPostgresStore(readOnly.href);
  onTestFinished(() => standby.close());

  expect(await standby.read(ada, "s")).toHaveLength(1);
  await expect(standby.append(ada, "s", 1, [event(2)])).rejects.toMatchObject({ code: "store_read_only" });
  expect((await standby.check()).problems).toEqual([expect.stringContaining("read-only")]);
  expect((await sql`select count(*)::int as events from holdfast.events`)[0]?.events).toBe(1);
});

test("DG-74 a connection that the server ends fails what is under way, and is replaced", async () => {
  const { store, sql } = await open(1);
  await store.append(ada, "s", 0, [event(1)]);
  const before = await backends(sql);
  for (const pid of before) await sql`select pg_terminate_backend(${pid})`;

  for (let tries = 0; tries < 50; tries += 1) {
    const answer = await store.append(ada, "s", 1, [event(2)]).catch((error) => error);
    if (answer.kind !== undefined) break;
    expect(answer).toMatchObject({ code: "store_unavailable" });
  }
  expect(await store.read(ada, "s")).toHaveLength(2);
  const after = await backends(sql);
  expect(before.filter((pid) => after.includes(pid))).toEqual([]);
});

for (const [what, change] of [
  [
    "a server that is not there",
    (wrong: URL) => {
      wrong.port = "1";
    },
  ],
  [
    "a wrong password",
    (wrong: URL) => {
      wrong.password = "secret-guess";
    },
  ],
  [
    "a database that does not exist",
    (wrong: URL) => {
      wrong.pathname = "/nowhere";
    },
  ],
] as const) {
  test(`DG-74 ${what} is a clear error without the password`, async () => {
    const wrong = new URL(url);
    change(wrong);

    const error = await openPostgresStore(wrong.href).catch((caught) => caught);
    expect(error).toMatchObject({ code: "store_unavailable", message: expect.stringContaining("--store") });
    expect(error.message).not.toContain(wrong.password === "secret-guess" ? "secret-guess" : `:${wrong.password}@`);
  });
}

async function open(connectionsMax = 4): Promise<{ store: EventStore; sql: postgres.Sql }> {
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  const store = await openPostgresStore(url, { connectionsMax });
  onTestFinished(async () => {
    await store.close();
    await sql.end();
  });
  return { store, sql };
}

/** Process ids of the connections that the store has open. */
async function backends(sql: postgres.Sql): Promise<readonly number[]> {
  const rows = await sql`
    select pid from pg_stat_activity where application_name = 'holdfast' and datname = current_database()`;
  return rows.map((row) => Number(row.pid));
}
