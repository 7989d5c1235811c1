/** Capture through the engine: which turns leave a record, what stands in it, and the fixture that a body becomes. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBodyCapture } from "../../src/corpus/body-capture.ts";
import { CorpusFolder } from "../../src/corpus/corpus-folder.ts";
import { replayCorpus } from "../../src/corpus/replay.ts";
import type { CaptureRecord } from "../../src/engine/capture.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine, ObservedRequest } from "../../src/engine/engine.ts";
import { ENGINE_OWNER } from "../../src/engine/journal.ts";
import type { EventStore } from "../../src/store/event-store.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { readAnthropicRequest } from "../../src/wire/anthropic-messages/request.ts";
import { runProgram } from "../cli/program.ts";
import { assistant, type BodyRow, call, request, result, text, user } from "../dispatch/anthropic-body.ts";

const hashKey = Buffer.alloc(32, 7);
const ANTHROPIC = { name: "anthropic", url: "http://127.0.0.1:1", backend: "anthropic" } as const;

const legal = [user("go"), assistant([call("a")]), user([result("a")])];
const unknown = [user("go"), assistant([{ type: "hologram", of: "Nightjar" }]), user("more of Nightjar")];
const repairable = [user("go to Nightjar"), assistant([call("nightjar_1")]), user("stop, please")];
const hopeless = [user("go"), assistant([text("x")]), user([{ type: "server_tool_use", id: "s", name: "web_search" }])];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-capture-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function send(engine: Engine, messages: readonly BodyRow[], status: number, more: object = {}) {
  const body = Buffer.from(JSON.stringify(request(messages, more)));
  const headers = { "x-api-key": "one" };
  const observed: ObservedRequest = { upstream: ANTHROPIC, mode: "guard", method: "POST", path: "/v1/messages", headers, body };
  const checked = await engine.checkRequest(observed);
  const reply =
    status === 200
      ? { type: "message", role: "assistant", content: [{ type: "text", text: "ok" }] }
      : { type: "error", error: { type: "invalid_request_error", message: "messages.2: Nightjar is not allowed" } };
  const response = { status, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(reply)) };
  engine.observeResponse(checked, { ...response, complete: true });
  return checked.record;
}

async function recordsOf(store: EventStore): Promise<readonly CaptureRecord[]> {
  const events = await store.read(ENGINE_OWNER, "engine/captures");
  return events.map(({ data }) => JSON.parse(Buffer.from(data).toString()) as CaptureRecord);
}

test("DG-71 unknown structures, violations, degraded turns and rejections leave a record without content; a plain turn does not", async () => {
  const store = openMemoryStore();
  const engine = await createEngine({ store, hashKey });
  await send(engine, legal, 200);
  await send(engine, unknown, 200);
  await send(engine, repairable, 200);
  await send(engine, [user("look"), assistant([text("well")])], 200, { model: "claude-opus-4-6" });
  await send(engine, [...legal, assistant([text("well")]), user("Nightjar")], 400);
  await send(engine, [...legal, assistant([text("fine")]), user("and again")], 429);
  await engine.close();
  const records = await recordsOf(store);
  expect(records.map(({ reasons, rejected, faults }) => [reasons, rejected?.status, faults.map(({ name }) => name)])).toEqual([
    [["unmodelled"], undefined, ["unmodelled"]],
    [["hard"], undefined, ["A-PAIR-1"]],
    [["hard", "degraded"], undefined, ["A-PREFILL-21"]],
    [["rejected"], 400, []],
    [["rejected"], 429, []],
  ]);
  expect(records[1]!.faults).toEqual([{ name: "A-PAIR-1", place: "/messages/1/content/0", count: 1 }]);
  expect(JSON.stringify(records)).not.toMatch(/nightjar|hologram/i);
});

test("DG-71 the same thing in the same lane is recorded once and counted then", async () => {
  const store = openMemoryStore();
  const engine = await createEngine({ store, hashKey });
  const rows = [...unknown];
  for (let turn = 0; turn < 4; turn++) {
    await send(engine, rows, 200);
    rows.push(assistant([text("ok")]), user(`more ${turn}`));
  }
  await engine.close();
  expect(await recordsOf(store)).toHaveLength(1);
  expect(engine.counters().find(({ name }) => name === "capture_repeated")?.count).toBe(3);
});

test("DG-71 a place in a record ends where names of a schema or a tool begin", async () => {
  const store = openMemoryStore();
  const engine = await createEngine({ store, hashKey });
  const calls = [{ ...call("a"), input: { nightjar_salary: "\ud83d" } }];
  await send(engine, [user("go"), assistant(calls), user([result("a")])], 200);
  await engine.close();
  const [record] = await recordsOf(store);
  expect(record!.faults).toEqual([{ name: "A-UTF-15", place: "/messages/1/content/0", count: 1 }]);
});

test("DG-71 with bodies switched on each becomes a redacted fixture that replays to the same verdict", async () => {
  const root = join(folder, "bodies");
  const engine = await createEngine({ store: openMemoryStore(), hashKey, bodies: openBodyCapture(root) });
  for (const messages of [legal, unknown, repairable, hopeless]) await send(engine, messages, 200);
  await send(engine, [...legal, assistant([text("well")]), user("Nightjar")], 400);
  await engine.close();
  const written = engine.counters().filter(({ name }) => name === "capture_body");
  const { fixtures, unusable } = replayCorpus(new CorpusFolder(root));
  expect(written).toEqual([{ name: "capture_body", labels: { result: "written" }, count: fixtures.length }]);
  expect(unusable).toEqual([]);
  expect(fixtures.map(({ now, recorded }) => [now.verdict, recorded?.verdict, now.rules, recorded?.rejected])).toEqual(
    expect.arrayContaining([
      ["admit", "admit", [], { status: 400, rule: null }],
      ["admit-unverified", "admit-unverified", [], undefined],
      ["unsafe", "unsafe", ["A-PAIR-1"], undefined],
    ]),
  );
  for (const { id } of fixtures) {
    expect(await readFile(join(root, id, "request.json"), "utf8")).not.toMatch(/nightjar|hologram|stop/i);
  }
  const updated = await runProgram(["replay", root, "--update"]);
  expect(updated).toMatchObject({ status: 0, stdout: expect.stringContaining("all as recorded") });
});

test("DG-71 a folder that can't be written costs no turn and is counted", async () => {
  const bodies = openBodyCapture("/dev/null/corpus");
  const engine = await createEngine({ store: openMemoryStore(), hashKey, bodies });
  expect((await send(engine, repairable, 200)).outcome).toBe("repaired");
  await engine.close();
  expect(engine.counters().filter(({ name }) => name === "capture_body")).toEqual([
    { name: "capture_body", labels: { result: "ENOTDIR" }, count: 1 },
  ]);
});

test("DG-71 a body that is too large for a fixture is only counted", async () => {
  const results: string[] = [];
  const bodies = openBodyCapture(join(folder, "large"));
  const bytes = Buffer.alloc(8 * 1024 * 1024 + 1, 0x20);
  bodies.capture({ bytes, api: "anthropic-messages", backend: "anthropic", model: null }, (result) => results.push(result));
  await bodies.close();
  expect(results).toEqual(["too_large"]);
});

test("DG-71 where the host showed its rows, the fixture holds them too, redacted alike: it replays to the same difference", async () => {
  const root = join(folder, "prepared");
  const engine = await createEngine({ store: openMemoryStore(), hashKey, bodies: openBodyCapture(root) });
  const rows = [...legal, assistant([text("well, Nightjar")]), user("more of Nightjar")];
  const held = [user("go"), assistant([call("a")]), user([result("a", "a long word of Nightjar")]), ...rows.slice(3)];
  const { rows: meant } = readAnthropicRequest(request(held) as never);
  const body = Buffer.from(JSON.stringify(request([...rows, user([{ type: "hologram" }])])));
  const prepared = { host: "pi", form: "host", rows: meant, edits: [], operation: null } as const;
  const place = { upstream: ANTHROPIC, mode: "guard", method: "POST", path: "/v1/messages", headers: {} } as const;
  const { record } = await engine.checkRequest({ ...place, body, prepared });
  await engine.close();
  const [id] = new CorpusFolder(root).listIds();
  const { fixtures, findings } = replayCorpus(new CorpusFolder(root));
  const soft = record.verdict.kind === "admit" ? [] : record.verdict.soft.map((one) => one.class);
  expect(soft).toContain("result_content_changed");
  expect(fixtures.map(({ classes, lost }) => [classes, lost?.results])).toEqual([[[...new Set(soft)].toSorted(), 1]]);
  expect(findings.map((finding) => finding.id)).not.toContain("replay/changed_classes");
  expect(await readFile(join(root, id!, "prepared.json"), "utf8")).not.toMatch(/nightjar|long word/i);
});
