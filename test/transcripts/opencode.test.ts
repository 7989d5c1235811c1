import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder, scanFiles, scanPath } from "./scan-files.ts";

interface Message {
  readonly info: Record<string, unknown>;
  readonly parts: readonly Record<string, unknown>[];
}

const session = "ses_shed0001";

function user(id: string, at: number): Message {
  return {
    info: { id, sessionID: session, role: "user", time: { created: at } },
    parts: [{ id: `${id}p`, type: "text", text: "Go." }],
  };
}

function assistant(id: string, at: number, [read, write]: readonly [number, number], status = "completed"): Message {
  const tokens = { input: 4, output: 30, reasoning: 10, cache: { read, write } };
  const model = { modelID: "claude-sonnet-4-5", providerID: "anthropic" };
  const tool = {
    id: `${id}p1`,
    type: "tool",
    tool: "bash",
    callID: `call_${id}`,
    state: { status, input: {}, output: "x" },
  };
  return {
    info: { id, sessionID: session, role: "assistant", ...model, tokens, time: { created: at, completed: at + 900 } },
    parts: [{ id: `${id}p0`, type: "step-start" }, tool, { id: `${id}p2`, type: "step-finish", tokens }],
  };
}

const start = Date.UTC(2026, 2, 14, 9);
const messages = [
  user("msg_1", start),
  assistant("msg_2", start + 2000, [0, 9000]),
  assistant("msg_3", start + 5000, [9000, 100], "running"),
  user("msg_4", start + 900_000),
  assistant("msg_5", start + 902_000, [0, 9300]),
];

function checkSession(found: Awaited<ReturnType<typeof scanFiles>>) {
  expect(found.sessions).toHaveLength(1);
  const one = found.sessions[0]!;
  expect(one).toMatchObject({ agent: "opencode", id: session, turns: 3, bricked: false });
  expect(one.tokens).toMatchObject({ input: 12, output: 120, cache_read: 9000, cache_creation: 18_400 });
  expect(one.findings).toMatchObject([{ rule: "A-PAIR-1", id: "call_msg_3", healed_by_host: true }]);
  expect(one.breaks).toMatchObject([{ request: 3, cause: "ttl_gap", expected_read: 9100, rewritten: 9100 }]);
  return one;
}

function makeDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  database.exec("CREATE TABLE session (id TEXT PRIMARY KEY, time_created INTEGER, time_updated INTEGER)");
  database.exec("CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT)");
  database.exec("CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)");
  database.prepare("INSERT INTO session VALUES (?, ?, ?)").run(session, start, start + 903_000);
  for (const [index, { info, parts }] of messages.entries()) {
    const { id, ...data } = info;
    database
      .prepare("INSERT INTO message VALUES (?, ?, ?, ?)")
      .run(String(id), session, start + index, JSON.stringify(data));
    for (const part of parts) {
      database
        .prepare("INSERT INTO part VALUES (?, ?, ?, ?)")
        .run(String(part.id), String(id), session, JSON.stringify(part));
    }
  }
  return database;
}

test("SC-5 a database is read while its agent runs, after a crash and at rest, and nothing is written", async () => {
  const folder = makeFolder({ "running/x": "", "crashed/x": "", "rest/x": "" });
  const running = join(folder, "running", "opencode.db");
  const database = makeDatabase(running);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  const crashed = join(folder, "crashed", "opencode.db");
  copyFileSync(running, crashed);
  copyFileSync(`${running}-wal`, `${crashed}-wal`);
  const unchanged = async (name: string) => {
    const before = readdirSync(join(folder, name));
    checkSession(await scanPath(join(folder, name)));
    expect(readdirSync(join(folder, name))).toEqual(before);
  };
  await unchanged("running");
  await unchanged("crashed");
  database.close();
  copyFileSync(running, join(folder, "rest", "opencode.db"));
  await unchanged("rest");
});

test("SC-2 a damaged row of a database is one record lost", async () => {
  const folder = makeFolder();
  const database = makeDatabase(join(folder, "opencode.db"));
  database.exec(`UPDATE part SET data = '{"type":"te' WHERE id = 'msg_1p'`);
  database.close();
  const one = checkSession(await scanPath(folder));
  expect(one.records).toMatchObject({ lines: 16, good: 15, lost: 1 });
  expect(one.damage).toMatchObject([{ kind: "unreadable", file: "msg_1p" }]);
});

test("SC-2 a broken database does not stop a scan", async () => {
  const broken = `SQLite format 3\0${"x".repeat(5000)}`;
  const exported = JSON.stringify({ info: { id: session }, messages });
  const found = await scanFiles({ "opencode.db": broken, "export.json": exported });
  checkSession(found);
  expect(found.totals.unreadable).toMatchObject([{ path: expect.stringContaining("opencode.db") }]);
});

test("SC-2 an export is read, and of a cut one the whole messages", async () => {
  const text = JSON.stringify({ info: { id: session }, messages }, null, 2);
  expect(checkSession(await scanFiles({ "export.json": text })).records).toMatchObject({ good: 5, lost: 0 });
  const cut = (await scanFiles({ "export.json": text.slice(0, text.indexOf("msg_5p1")) })).sessions[0]!;
  expect(cut).toMatchObject({ id: session, turns: 2, records: { good: 0, recovered: 4, lost: 1 } });
});

test("SC-2, SC-14 the older trees are read, whichever way their folders lie", async () => {
  const files = (message: string, part: string, info: string) => {
    const tree: Record<string, string> = { [`${info}/${session}.json`]: JSON.stringify({ id: session }) };
    for (const { info, parts } of messages) {
      tree[`${message}/${session}/${String(info.id)}.json`] = JSON.stringify(info);
      for (const one of parts) tree[`${part}/${String(info.id)}/${String(one.id)}.json`] = JSON.stringify(one);
    }
    return tree;
  };
  const middle = await scanFiles(files("storage/message", "storage/part", "storage/session/global"));
  expect(checkSession(middle).records).toMatchObject({ lines: 17, good: 17 });
  const oldest = files(
    "project/x/storage/session/message",
    `project/x/storage/session/part/${session}`,
    "project/x/storage/session/info",
  );
  checkSession(await scanFiles(oldest));
});

test("SC-11 of a compaction's own request, and behind it, nothing is expected", async () => {
  const summary = assistant("msg_5", start + 22_000, [0, 9500]);
  const rows = [
    user("msg_1", start),
    assistant("msg_2", start + 2000, [0, 9000]),
    user("msg_4", start + 20_000),
    { ...summary, info: { ...summary.info, summary: true, mode: "compaction" } },
    assistant("msg_6", start + 30_000, [3000, 2000]),
    assistant("msg_7", start + 40_000, [3000, 2100]),
  ];
  const { sessions } = await scanFiles({ "export.json": JSON.stringify({ info: { id: session }, messages: rows }) });
  expect(sessions[0]).toMatchObject({ turns: 4, breaks: [{ request: 4, expected_read: 5000, read: 3000 }] });
});
