/** What happens to an embedded store in a bad environment: a clear error, nothing lost, never a lock-out. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { EventStore } from "../../src/store/event-store.ts";
import type { Connection } from "../../src/store/sqlite/connection.ts";
import { migrations } from "../../src/store/sqlite/migrations.ts";
import { openConnection } from "../../src/store/sqlite/open-connection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-store.ts";
import type { Reply, Request } from "../../src/store/sqlite/operations.ts";
import { RequestQueue } from "../../src/store/sqlite/request-queue.ts";
import { ada, event, text } from "./sample-events.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("DG-73 events survive a restart, counters too", async () => {
  const path = join(temporaryFolder(), "deep", "er", "store.db");
  await using(path, async (store) => {
    await store.append(ada, "s", 0, [event("kept")]);
    await store.addCounts([{ name: "verdict", labels: { class: "admit" }, count: 2 }]);
  });

  await using(path, async (store) => {
    expect((await store.read(ada, "s")).map(({ data }) => text(data))).toEqual(['"kept"']);
    await store.addCounts([{ name: "verdict", labels: { class: "admit" }, count: 1 }]);
    expect(await store.counts()).toEqual([{ name: "verdict", labels: { class: "admit" }, count: 3 }]);
  });
});

test("PI-12 what was erased is in no file of the database, and other processes go on", async () => {
  const path = join(temporaryFolder(), "store.db");
  const secret = "words that a person wants forgotten ".repeat(500);
  await using(path, async (store) => {
    await store.append(ada, "before", 0, [event(1)]);
    await store.append(ada, "s", 0, [event(secret)]);
    await using(path, async (other) => {
      await store.eraseStream(ada, "s");
      for (const file of [path, `${path}-wal`]) expect(readFileSync(file).includes("forgotten")).toBe(false);
      expect((await other.read(ada, "before")).length).toBe(1);
      expect(await other.read(ada, "s")).toEqual([]);
    });
  });
});

test("CL-5 nobody else can read the database, its log and its folder", async () => {
  const folder = join(temporaryFolder(), "data");
  await using(join(folder, "store.db"), async (store) => {
    await store.append(ada, "s", 0, [event(1)]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of ["store.db", "store.db-wal", "store.db-shm"]) {
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
  });
});

for (const [what, damage] of [
  ["zeroed", (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size))],
  ["cut in half", (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ["overwritten at its start", (path: string) => overwrite(path, 0)],
] as const) {
  test(`DG-73 a database that was ${what} is moved aside and counted, and the store works`, async () => {
    const path = join(temporaryFolder(), "store.db");
    await using(path, (store) => fill(store, 200));
    damage(path);
    const damaged = readFileSync(path);

    await using(path, async (store) => {
      expect(await store.read(ada, "s")).toEqual([]);
      expect(await store.append(ada, "s", 0, [event("new")])).toMatchObject({ kind: "appended" });
      expect((await store.check()).quarantinedFiles).toEqual([`${path}.damaged-1`]);
      expect(await store.counts()).toEqual([{ name: "store.file.quarantined", labels: {}, count: 1 }]);
    });
    expect(readFileSync(`${path}.damaged-1`).equals(damaged)).toBe(true);
  });
}

test("DG-73 damage that shows only while working moves the database aside; the call that met it is answered", async () => {
  const path = join(temporaryFolder(), "store.db");
  await using(path, (store) => fill(store, 200));
  // Every page but the first: the header is sound, so opening does not see it.
  overwrite(path, 4096);

  await using(path, async (store) => {
    expect(await store.read(ada, "s")).toEqual([]);
    expect(await store.append(ada, "s", 0, [event("new")])).toMatchObject({ kind: "appended", version: 1 });
    expect((await store.check()).quarantinedFiles).toHaveLength(1);
  });
});

test("DG-73 damaged databases never overwrite each other", async () => {
  const path = join(temporaryFolder(), "store.db");
  for (let round = 0; round < 3; round += 1) {
    await using(path, (store) => fill(store, 3));
    writeFileSync(path, Buffer.alloc(4096));
  }

  await using(path, async (store) => {
    const expected = [1, 2, 3].map((n) => `${path}.damaged-${n}`);
    expect((await store.check()).quarantinedFiles).toEqual(expected);
  });
});

test("DG-73 of several that open a damaged database at once one moves it aside, and all work on the new one", async () => {
  const path = join(temporaryFolder(), "store.db");
  await using(path, (store) => fill(store, 3));
  writeFileSync(path, Buffer.alloc(4096));

  const stores = await Promise.all([1, 2, 3, 4].map(() => openSqliteStore(path)));
  const results = await Promise.all(stores.map((store, n) => store.append(ada, `s${n}`, 0, [event(n)])));

  expect(results.map(({ kind }) => kind)).toEqual(Array(4).fill("appended"));
  expect(await stores[0]!.listStreams(ada)).toHaveLength(4);
  expect((await stores[0]!.check()).quarantinedFiles).toEqual([`${path}.damaged-1`]);
  await Promise.all(stores.map((store) => store.close()));
});

test("DG-73 one event whose bytes changed is left out and counted; its neighbours are read", async () => {
  const path = join(temporaryFolder(), "store.db");
  await using(path, (store) => fill(store, 3));
  const db = new DatabaseSync(path);
  db.exec("update events set data = x'7b' where version = 3");
  db.close();

  await using(path, async (store) => {
    expect(await store.latest(ada, "s", "thing.happened")).toMatchObject({ version: 2 });
    expect((await store.read(ada, "s")).map(({ version }) => version)).toEqual([1, 2]);
    expect((await store.check()).quarantinedEvents).toBe(1);
    expect(await store.append(ada, "s", 3, [event(4)])).toMatchObject({ version: 4 });
  });
});

for (const [what, make] of [
  ["a text file", (path: string) => writeFileSync(path, "my notes\n".repeat(100))],
  [
    "the database of another program",
    (path: string) => {
      const db = new DatabaseSync(path);
      db.exec("create table notes (text)");
      db.close();
    },
  ],
] as const) {
  test(`DG-73 ${what} named by mistake is left as it is`, async () => {
    const path = join(temporaryFolder(), "notes");
    make(path);
    const before = readFileSync(path);

    await expect(openSqliteStore(path)).rejects.toMatchObject({
      code: "store_foreign",
    });
    await expect(openSqliteStore(path)).rejects.toThrow(path);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(dirname(path))).toEqual(["notes"]);
  });
}

test("DG-73 a database of a newer schema is refused with what to do, and not touched", async () => {
  const path = join(temporaryFolder(), "store.db");
  await using(path, (store) => fill(store, 1));
  const db = new DatabaseSync(path);
  db.exec(`pragma user_version = ${migrations.length + 1}`);
  db.close();

  await expect(openSqliteStore(path)).rejects.toMatchObject({
    code: "store_schema_newer",
    message: expect.stringMatching(/newer.*update/s),
  });
  expect(existsSync(`${path}.damaged-1`)).toBe(false);
});

test("DG-74 a foreign lock of five seconds stops neither the event loop nor reads, and the write follows", async () => {
  const path = join(temporaryFolder(), "store.db");
  await using(path, async (store) => {
    await fill(store, 1);
    const foreign = new DatabaseSync(path);
    foreign.exec("begin exclusive");
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 10);
    let written = false;
    const write = store.append(ada, "s", 1, [event("late")]).then((result) => {
      written = true;
      return result;
    });

    const end = performance.now() + 5_000;
    let reads = 0;
    while (performance.now() < end) {
      expect(await store.latest(ada, "s", "thing.happened")).toMatchObject({ version: 1 });
      reads += 1;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(written).toBe(false);
    expect((await store.check()).locked).toBe(true);
    clearInterval(ticking);
    foreign.exec("rollback");
    foreign.close();

    expect(await write).toMatchObject({ kind: "appended", version: 2 });
    // A frozen loop would tick and read a handful of times in five seconds.
    expect(ticks).toBeGreaterThan(50);
    expect(reads).toBeGreaterThan(20);
  });
});

test("DG-74 a full database says so, keeps what it has, and goes on when there is space", async () => {
  const path = join(temporaryFolder(), "store.db");
  const { ask, close, connection } = queueOn(path);
  await ask("append", ada, "s", 0, [event("kept")]);
  connection().exec("pragma max_page_count = 1");
  const big = { type: "thing.happened", data: new Uint8Array(100_000).fill(0x61) };

  // Two at once: both fail, neither leaves a part.
  const [large, other] = await Promise.all([
    ask("append", ada, "s", 1, [event("first half"), big]),
    ask("append", ada, "t", 0, [big]),
  ]);
  expect(large.error?.code).toBe("store_full");
  expect(other.error?.code).toBe("store_full");
  expect((await ask("read", ada, "s", 1, 10)).value).toHaveLength(1);
  expect((await ask("listStreams", ada, {})).value).toHaveLength(1);

  connection().exec("pragma max_page_count = 1000000");
  expect((await ask("append", ada, "s", 1, [event("more"), big])).value).toMatchObject({
    kind: "appended",
    version: 3,
  });
  await close();
});

test("DG-74 a write that cannot succeed does not fail the writes that wait beside it", async () => {
  const path = join(temporaryFolder(), "store.db");
  const { ask, close, connection } = queueOn(path);
  await ask("append", ada, "s", 0, [event("kept")]);
  const pages = Number(connection().prepare("pragma page_count").get()?.page_count);
  connection().exec(`pragma max_page_count = ${pages + 4}`);

  const [large, small] = await Promise.all([
    ask("append", ada, "s", 1, [{ type: "thing.happened", data: new Uint8Array(1_000_000) }]),
    ask("append", ada, "t", 0, [event("small")]),
  ]);

  expect(large.error?.code).toBe("store_full");
  expect(small.value).toMatchObject({ kind: "appended" });
  await close();
});

test("DG-74 a database that was deleted while open is made anew, and the next append is kept", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = await openSqliteStore(path);
  await fill(store, 3);
  rmSync(path);

  expect(await store.append(ada, "s", 3, [event("lost?")])).toEqual({ kind: "conflict", version: 0 });
  expect(await store.append(ada, "s", 0, [event("kept")])).toMatchObject({ kind: "appended", version: 1 });
  await store.close();
  await using(path, async (again) => {
    expect((await again.read(ada, "s")).map(({ data }) => text(data))).toEqual(['"kept"']);
    // The log of the deleted database is not mixed into the new one; it lies beside it.
    expect((await again.check()).problems).toEqual([]);
  });
});

test("DG-74 a read-only database is read; a write and the check say that it is read-only", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "store.db");
  await using(path, (store) => fill(store, 2));
  chmodSync(folder, 0o777);
  chmodSync(path, 0o444);
  asAnotherUser();
  const { ask, close } = queueOn(path);

  expect((await ask("read", ada, "s", 1, 10)).value).toHaveLength(2);
  const { error } = await ask("append", ada, "s", 2, [event(3)]);
  expect(error).toMatchObject({ code: "store_read_only", message: expect.stringMatching(/read-only.*permissions/s) });
  expect((await ask("check")).value).toMatchObject({ problems: [expect.stringContaining("read-only")] });
  await close();
});

test("DG-74 a database in a folder that cannot be written is a clear error, and not touched", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "store.db");
  await using(path, (store) => fill(store, 2));
  chmodSync(path, 0o444);
  chmodSync(folder, 0o555);
  asAnotherUser();
  const { ask, close } = queueOn(path);

  expect((await ask("open")).error?.code).toBe("store_read_only");
  expect(readdirSync(folder).filter((name) => name.includes("damaged"))).toEqual([]);
  await close();
});

for (const [what, path] of [
  ["a folder", "/tmp"],
  ["a path below a file", "/etc/hostname/store.db"],
] as const) {
  test(`DG-74 ${what} in place of a database is a clear error`, async () => {
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: expect.stringMatching(/^store_/) });
    await expect(openSqliteStore(path)).rejects.toThrow(path);
  });
}

async function using(path: string, use: (store: EventStore) => Promise<unknown>): Promise<void> {
  const store = await openSqliteStore(path);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

async function fill(store: EventStore, events: number): Promise<void> {
  const filler = "x".repeat(1000);
  await store.append(
    ada,
    "s",
    0,
    Array.from({ length: events }, (_, n) => event({ v: 1, n, filler })),
  );
}

/** The superuser may write everything, so the file modes of these tests would mean nothing to it. */
function asAnotherUser(): void {
  if (process.geteuid?.() !== 0) return;
  process.seteuid?.(65534);
  onTestFinished(() => process.seteuid?.(0));
}

function overwrite(path: string, from: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0xaa, from);
  writeFileSync(path, bytes);
}

/** The worker's queue on this thread, so that a test can set limits on its connection. */
function queueOn(path: string) {
  const waiting = new Map<number, (reply: Reply) => void>();
  let current: Connection | undefined;
  const connect: typeof openConnection = (...rest) => {
    current = openConnection(...rest);
    return current;
  };
  const queue = new RequestQueue(path, (reply) => waiting.get(reply.id)?.(reply), connect);
  let lastId = 0;
  return {
    ask: (operation: Request["operation"], ...rest: unknown[]) =>
      new Promise<Reply>((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        queue.accept({ id: lastId, operation, arguments: rest });
      }),
    close: () => queue.close(),
    connection: () => current!.db,
  };
}
