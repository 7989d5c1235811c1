/** `holdfast doctor` as a person runs it, on real stores. */
import { mkdir, mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ENGINE_OWNER } from "../../src/engine/journal.ts";
import { LOCAL_OWNER } from "../../src/engine/plan-store.ts";
import type { DoctorCheck } from "../../src/report/doctor/doctor-check.ts";
import type { EventStore } from "../../src/store/event-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Ended, runProgram } from "./program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-doctor-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Document {
  readonly schema: number;
  readonly fixes: readonly { readonly id: string; readonly before: string; readonly after: string }[];
  readonly checks: readonly DoctorCheck[];
  readonly rules: readonly object[];
}

/** Nothing of this machine is looked at: an empty home, no agent, a port where nobody listens. */
function run(store: string, ...words: readonly string[]): Promise<Ended> {
  const env = { HOME: join(folder, "home"), PATH: "" };
  return runProgram(["doctor", "--port", "1", "--store", store, ...words], { cwd: folder, env });
}

async function check(store: string, words: readonly string[], status: number): Promise<Document> {
  const ended = await run(store, "--json", ...words);
  expect(ended.status, ended.stdout + ended.stderr).toBe(status);
  expect(ended.stderr).toBe("");
  return JSON.parse(ended.stdout);
}

async function fill(name: string, write: (store: EventStore) => Promise<unknown>): Promise<string> {
  const path = join(folder, name);
  const store = await openStore(`sqlite:${path}`);
  await write(store);
  await store.close();
  return path;
}

const plan = (epoch: number, prefix: string, verb = "create") => ({
  type: verb === "create" ? "context.plan.created" : "context.epoch.rotated",
  data: Buffer.from(
    JSON.stringify({
      ...{ v: 1, verb, reason: verb === "create" ? "session_first_model_request" : "persona_changed" },
      plan: {
        ...{ session: "s", epoch, prefixSha256: prefix.repeat(64), toolSchemaSha256: "0".repeat(64) },
        ...{ api: "anthropic-messages", model: "m", policyVersion: "1", builderVersion: "1", createdAt: 1 },
        prefix: { conversation: [], tools: [] },
      },
    }),
  ),
});

const statusOf = ({ checks }: Document, id: string) => checks.find((one) => one.id === id)?.status;

test("CL-1 doctor ends with 0 where all is fine, 1 where something was found, 2 where the store can't be used", async () => {
  const sound = await fill("sound.db", async () => {});
  await check(`sqlite:${sound}`, [], 0);
  const degraded = await fill("degraded.db", (store) =>
    store.addCounts([{ name: "request", labels: { outcome: "degraded", verdict: "unsafe" }, count: 2 }]),
  );
  expect(statusOf(await check(`sqlite:${degraded}`, [], 1), "turns")).toBe("warn");
  await writeFile(join(folder, "foreign.db"), "somebody's notes, which are no database of anyone".repeat(9));
  expect(statusOf(await check("sqlite:foreign.db", [], 2), "store_integrity")).toBe("fail");
});

test("PI-17 doctor fails on a session with two prefix hashes in one epoch, and names it", async () => {
  const path = await fill("split.db", (store) =>
    store.append(LOCAL_OWNER, "session/torn", 0, [plan(1, "a"), plan(1, "b", "rebuild")]),
  );
  const document = await check(`sqlite:${path}`, [], 1);
  expect(document.checks.find(({ id }) => id === "plan_epochs")).toMatchObject({ status: "fail", detail: "torn" });
  const other = await check(`sqlite:${path}`, ["--principal", "somebody"], 0);
  expect(statusOf(other, "plan_epochs")).toBe("ok");
});

test("PI-17 doctor finds the sessions of all owners, and says whose they are", async () => {
  const path = await fill("owners.db", async (store) => {
    await store.append(LOCAL_OWNER, "session/whole", 0, [plan(1, "a")]);
    for (const [tenant, principal] of [
      ["house", "ada"],
      ["house", "ben"],
      ["shop", "ada"],
    ] as const) {
      const broken = { type: "session.lane.opened", data: Buffer.from("{") };
      await store.append({ tenant, principal }, "session/torn", 0, [plan(1, "a"), plan(1, "b", "rebuild"), broken]);
    }
  });
  const split = async (...words: string[]) =>
    (await check(`sqlite:${path}`, words, 1)).checks.find(({ id }) => id === "plan_epochs")?.detail;
  expect(await split()).toBe("torn of house/ada, torn of house/ben, torn of shop/ada");
  expect(await split("--tenant", "house")).toBe("torn of house/ada, torn of house/ben");
  expect(await split("--tenant", "shop", "--principal", "ada")).toBe("torn of shop/ada");
  expect((await run(`sqlite:${path}`, "--fix")).stdout).toContain("3 records of 3 streams can't be decoded");
  expect(statusOf(await check(`sqlite:${path}`, [], 1), "store_records")).toBe("ok");
});

test("RA-11 doctor counts pinned runs that would rotate, and sessions where callers alternate", async () => {
  const path = await fill("turns.db", async (store) => {
    const plans = [plan(1, "a"), plan(2, "b", "rebuild"), plan(3, "a", "rebuild"), plan(4, "b", "rebuild")];
    await store.append(LOCAL_OWNER, "session/shared", 0, plans);
    await store.append(LOCAL_OWNER, "session/steady", 0, [plan(1, "c"), plan(2, "d", "rebuild")]);
    await store.addCounts([{ name: "plan_would_rotate", labels: { reason: "run_authority_changed" }, count: 3 }]);
  });
  const document = await check(`sqlite:${path}`, [], 1);
  const callers = document.checks.find(({ id }) => id === "plan_callers");
  expect(callers).toMatchObject({ status: "warn", detail: "shared" });
  expect(callers?.title).toContain("3.0 epochs per session (target 1.0) over 2 sessions; in 1 callers alternate");
  expect(document.checks.find(({ id }) => id === "plan_pins")?.title).toContain("3 run_authority_changed");
});

test("DG-11 doctor lists the rules with their counts and their power at each place", async () => {
  const path = await fill("rules.db", async (store) => {
    const changes = ["proven", "refuted"].map((power) => ({
      type: "rule.power.changed",
      data: Buffer.from(JSON.stringify({ v: 1, key: "A-PAIR-1|lab|unknown|odd|model|", power })),
    }));
    await store.append(ENGINE_OWNER, "engine/rule-power", 0, changes);
    for (const api of ["anthropic-messages", "openai-responses"]) {
      await store.addCounts([{ name: "rule_predicted", labels: { api, rule: "A-PAIR-1" }, count: 2 }]);
    }
    await store.addCounts([{ name: "rule_missed", labels: { rule: "R-ITEM-1" }, count: 1 }]);
  });
  const { rules } = await check(`sqlite:${path}`, [], 1);
  expect(rules).toEqual([
    {
      ...{ rule: "A-PAIR-1", predicted: 4, confirmed: 0, refuted: 0, missed: 0 },
      places: [{ upstream: "lab", backend: "unknown", model: "odd|model", power: "refuted" }],
    },
    { ...{ rule: "R-ITEM-1", predicted: 0, confirmed: 0, refuted: 0, missed: 1 }, places: [] },
  ]);
});

test("DG-73 doctor looks at a damaged database without touching it, and --fix moves it aside whole", async () => {
  const path = await fill("damaged.db", (store) =>
    store.append(LOCAL_OWNER, "run/a", 0, [{ type: "a.b.c", data: Buffer.alloc(50_000, 0x20) }]),
  );
  const db = new DatabaseSync(path);
  const root = Number(db.prepare("select rootpage from sqlite_schema where name = 'events'").get()?.rootpage);
  const size = Number(db.prepare("pragma page_size").get()?.page_size);
  db.close();
  const file = await open(path, "r+");
  await file.write(Buffer.alloc(size, 0xff), 0, size, (root - 1) * size);
  await file.close();
  const names = async () => (await readdir(folder)).filter((name) => name.startsWith("damaged.db.damaged"));
  expect(statusOf(await check(`sqlite:${path}`, [], 1), "store_integrity")).toBe("fail");
  expect(await names()).toEqual([]);
  const { fixes, checks } = await check(`sqlite:${path}`, ["--fix"], 1);
  expect(fixes.map(({ id }) => id)).toEqual(["store_moved", "store_compacted"]);
  expect(fixes[0]?.after).toContain("damaged.db.damaged-1");
  expect(await names()).toContain("damaged.db.damaged-1");
  expect(checks.find(({ id }) => id === "store_integrity")?.status).toBe("ok");
  expect(checks.find(({ id }) => id === "store_quarantine")?.detail).toContain("damaged.db.damaged-1");
});

test("DG-73 --fix puts records aside that can't be decoded, and says so before and after", async () => {
  const path = await fill("undecodable.db", async (store) => {
    await store.append(ENGINE_OWNER, "engine/lanes", 0, [
      { type: "session.lane.opened", data: Buffer.from('{"v":1,"lane":"a","at":"b"}') },
      { type: "session.lane.opened", data: Buffer.from('{"v":1,') },
    ]);
    // A plan that cannot be read still says its epoch, which must stay taken (PI-33).
    const foreign = '{"plan":{"epoch":1,"model":1e999},"reason":"session_first_model_request"}';
    await store.append(LOCAL_OWNER, "session/a", 0, [{ type: "context.plan.created", data: Buffer.from(foreign) }]);
  });
  expect(statusOf(await check(`sqlite:${path}`, [], 1), "store_records")).toBe("warn");
  const { stdout } = await run(`sqlite:${path}`, "--fix");
  expect(stdout).toContain("1 record of 1 stream can't be decoded: putting aside.");
  expect(stdout).toContain("They stay in the store, and are left out from now on.");
  const after = await check(`sqlite:${path}`, [], 1);
  expect(statusOf(after, "store_records")).toBe("ok");
  expect(statusOf(after, "store_quarantine")).toBe("warn");
  expect(statusOf(after, "plan_records")).toBe("warn");
  const store = await openStore(`sqlite:${path}`);
  expect(await store.read(ENGINE_OWNER, "engine/lanes")).toHaveLength(1);
  await store.close();
});

test("CL-2 doctor says what is wrong first, in 80 columns", async () => {
  const path = await fill(`${"long-name-".repeat(12)}.db`, async (store) => {
    await store.append(LOCAL_OWNER, "session/torn", 0, [plan(1, "a"), plan(1, "b", "rebuild")]);
    await store.addCounts([{ name: "own_failure", labels: { where: "w".repeat(120) }, count: 1 }]);
  });
  const { stdout, status } = await run(`sqlite:${path}`);
  expect(status).toBe(1);
  for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  const states = [...stdout.matchAll(/^(fail|warn|ok) /gm)].map((match) => match[1]);
  expect(states.slice(0, 3)).toEqual(["fail", "warn", "ok"]);
  expect(stdout).toMatch(/^1 broken, 1 to look at\.\n/);
});

test("DG-75 --issue holds nothing of what people named, wrote or own, wherever it lies", async () => {
  const [project, home, bin] = ["acme-vault", "house-of-ada", "tools-of-ada"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(join(home, ".pi", "agent"), { recursive: true });
  await mkdir(bin);
  await mkdir(project);
  await writeFile(join(bin, "pi"), "#!/bin/sh\necho 1.6.0\n", { mode: 0o755 });
  await writeFile(join(home, ".pi", "agent", "settings.json"), '{"packages": ["/opt/acme-plugins/holdfast"]}');
  const path = await fill("acme-vault/store.db", async (store) => {
    const plans = [plan(1, "a"), plan(1, "b", "rebuild")];
    await store.append(LOCAL_OWNER, "session/acme-merger-talks", 0, plans);
    const capture = {
      ...{ v: 1, reasons: ["degraded"], upstream: "llm.acme.corp", api: "anthropic-messages", backend: "anthropic" },
      ...{ model: "acme-tuned-claude", lane: "acme-lane", bytes: 9, rows: 1, verdict: "unsafe", outcome: "degraded" },
      faults: [{ name: "A-PAIR-1", place: "/messages/1/content/0", count: 1 }],
      rejected: { status: 400, rule: null },
    };
    const data = Buffer.from(JSON.stringify(capture));
    await store.append(ENGINE_OWNER, "engine/captures", 0, [{ type: "request.capture.recorded", data }]);
    await store.addCounts([
      { name: "request_unread", labels: { upstream: "llm.acme.corp", reason: "path" }, count: 1 },
    ]);
  });
  const words = ["doctor", "--issue", "--port", "1", "--store", `sqlite:${path}`];
  const { stdout, status } = await runProgram(words, { cwd: project, env: { HOME: home, PATH: bin } });
  expect(status).toBe(1);
  expect(stdout).toContain("| host_pi | warn | Pi 1.6.0, with an extension of Holdfast that is not there |");
  expect(stdout).toMatch(
    /upstream-[0-9a-f]{8} anthropic-messages anthropic model-[0-9a-f]{8} \| degraded \| A-PAIR-1 at/,
  );
  expect(stdout).not.toMatch(/acme|ada\b|merger|vault|tuned/i);
  expect(stdout).not.toContain(folder);
});

test("CL-1 --issue stands alone", async () => {
  for (const other of ["--json", "--fix"]) {
    const { status, stderr } = await run("memory:", "--issue", other);
    expect(status).toBe(2);
    expect(stderr).toContain("--issue");
  }
});
