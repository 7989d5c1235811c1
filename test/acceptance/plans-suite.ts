/** Plans on a store that outlives its processes: restarts, races, kills, two machines. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { eraseSnapshots } from "../../src/engine/erase-snapshots.ts";
import { PlanStore, sessionStream } from "../../src/engine/plan-store.ts";
import { startRun } from "../../src/engine/start-run.ts";
import { sha256Hex } from "../../src/lib/sha256.ts";
import { PLAN_CREATED } from "../../src/plan/plan-event.ts";
import type { EventStore, Owner } from "../../src/store/event-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { AGENTS, AUTHORITY_CASES } from "./authority-case.ts";
import { agentOfForeignPlan, readForeignPlan, SCOPES } from "./foreign-plan.ts";
import { type Answer, type Order, PlanWorker } from "./plan-worker.ts";

const WORKERS = 8;
/** Some on every run of the tests; `.ci/run` asks for 200 rounds and 20 kills. */
const ROUNDS = Number(process.env.HOLDFAST_RACE_ROUNDS ?? 5);
const KILLS = Number(process.env.HOLDFAST_RACE_KILLS ?? 3);
const RACE_TIMEOUT_MS = 60_000 + Math.max(ROUNDS, KILLS) * 2_000;
const MAIL = ["mail.read", "mail.write"];
const ALL = [...MAIL, "schedule.read", "schedule.write"];

const owner: Owner = { tenant: "house", principal: "ada" };

/** @param createUrl names an empty store */
export function plansSuite(name: string, createUrl: () => Promise<string>): void {
  describe(name, () => {
    test("RA-5 every case, also case 19: a process restart between any two steps changes nothing", async () => {
      const url = await createUrl();
      const steps = Math.max(...AUTHORITY_CASES.map((one) => one.steps.length));
      for (let step = 0; step < steps; step++) expect(await runAuthorityStep(url, step)).toBe("");
    });

    test(`PI-20 ${WORKERS} processes create and rotate one plan at once, ${ROUNDS} rounds: one created event, one hash per epoch`, {
      timeout: RACE_TIMEOUT_MS,
    }, async () => {
      const url = await createUrl();
      const answers: (Answer | null)[][] = [];
      const workers = await Promise.all(Array.from({ length: WORKERS }, () => PlanWorker.start(url)));
      for (let round = 0; round < ROUNDS; round++) {
        const order = (n: number): Order => ({
          principal: "ada",
          session: `session-${round}`,
          run: `run-${round}-${n}`,
          // Three groups want different plans, so losers adopt some and take the next epoch for others.
          scopes: n % 4 === 0 ? ALL : MAIL,
          instructions: n % 3 === 0 ? "Answer briefly." : "Answer at length.",
        });
        answers.push(await Promise.all(workers.map((worker, n) => worker.do(order(n)))));
      }
      expect(workers.map((worker) => worker.errors)).toEqual(workers.map(() => ""));
      await using(url, async (store) => {
        for (const [round, answered] of answers.entries()) await checkSession(store, `session-${round}`, answered);
      });
    });

    test("PI-20 a worker that is killed while it rotates leaves the stream whole", {
      timeout: RACE_TIMEOUT_MS,
    }, async () => {
      const url = await createUrl();
      for (let kill = 0; kill < KILLS; kill++) {
        const worker = await PlanWorker.start(url);
        const answers: (Answer | null)[] = [];
        // Somewhere between the first event and the last: the moment is chance, the outcome is not.
        const timer = setTimeout(() => worker.kill(), 5 + kill * 17);
        for (let n = 0; n < 200 && answers.at(-1) !== null; n++) {
          const run = `kill-${kill}-${n}`;
          answers.push(await worker.do({ principal: "ada", session: "main", run, scopes: MAIL, instructions: run }));
        }
        clearTimeout(timer);
        await worker.kill();
        await using(url, (store) => checkSession(store, "main", answers));
      }
    });

    test("PI-22 a plan is rotated on one machine and a pinned run resumes on another: no mismatch", async () => {
      const url = await createUrl();
      const [a, b] = await Promise.all([PlanWorker.start(url), PlanWorker.start(url)]);
      const order: Order = { principal: "ada", session: "main", run: "parked", scopes: MAIL, instructions: "1" };
      const first = await a.do(order);
      expect(await b.do({ ...order, run: "other", instructions: "2" })).toMatchObject({ change: "rebuild", epoch: 2 });
      expect(await a.do({ ...order, instructions: "2" })).toEqual({ ...first, change: "keep" });
      expect(await a.do({ ...order, run: "next", instructions: "2" })).toMatchObject({ change: "keep", epoch: 2 });
      await using(url, async (store) => {
        const labels = { reason: "agent_prefix_changed" };
        expect(await store.counts()).toContainEqual({ name: "plan_would_rotate", labels, count: 1 });
      });
    });

    test("PI-31 a plan that an older encoder left in the store is re-keyed there", async () => {
      const url = await createUrl();
      await using(url, async (store) => {
        const data = readForeignPlan("unsorted_scopes");
        await store.append(owner, sessionStream("main"), 0, [{ type: PLAN_CREATED, data }]);
      });
      const start = (run: string) =>
        using(url, (store) =>
          startRun({ store, owner }, { session: "main", run, scopes: SCOPES, agent: agentOfForeignPlan() }),
        );
      expect(await start("first")).toMatchObject({ change: "rekey", plan: { epoch: 2 } });
      expect(await start("second")).toMatchObject({ change: "keep", plan: { epoch: 2 } });
    });

    test("PI-24 fifty turns over midnight, with a revoked tool, memory written and corrected, a new tool and restarts: one epoch, one hash", async () => {
      const url = await createUrl();
      const answers: (Answer | null)[] = [];
      for (let turn = 0; turn < 50; turn += 10) {
        const worker = await PlanWorker.start(url);
        for (let n = turn; n < turn + 10; n++) answers.push(await worker.do(turnOf(n)));
        expect(worker.errors).toBe("");
        await worker.kill();
      }
      expect(new Set(answers.map((answer) => answer?.prefixSha256)).size).toBe(1);
      expect(answers.map((answer) => answer?.change)).toEqual(["create", ...Array(49).fill("keep")]);
      await using(url, (store) => checkSession(store, "main", answers));
    });

    test("PI-12 a memory that is erased is gone for every process; the plans made with it and their hashes stay", async () => {
      const url = await createUrl();
      const start = (run: string, memoryText: string) =>
        using(url, (store) =>
          startRun({ store, owner }, { session: "main", run, scopes: MAIL, agent: AGENTS.plain, memoryText }),
        );
      const first = await start("first", "Likes tea.");
      const kept = await using(url, (store) => new PlanStore(store, owner).allPlans("main"));

      const erased = await using(url, (store) => eraseSnapshots({ store, owner }, "main"));
      expect(erased).toEqual([sha256Hex("Likes tea.")]);
      expect((await using(url, (store) => new PlanStore(store, owner).allPlans("main"))).plans).toHaveLength(
        kept.plans.length,
      );
      expect(await start("first", "")).toMatchObject({ change: "keep", snapshotText: null });
      expect(await start("second", "")).toMatchObject({
        change: "rebuild",
        reason: "agent_prefix_changed",
        plan: { epoch: 2 },
      });
      await using(url, async (store) => {
        const { plans } = await new PlanStore(store, owner).allPlans("main");
        expect(plans[0]).toMatchObject({ plan: { prefixSha256: first.kind === "started" && first.plan.prefixSha256 } });
        expect((await store.check()).quarantinedEvents).toBe(0);
      });
    });

    test("PI-25 another principal of the tenant does not see the plan", async () => {
      const url = await createUrl();
      await using(url, async (store) => {
        const request = { session: "main", scopes: MAIL, agent: AGENTS.plain };
        await startRun({ store, owner }, { ...request, run: "first" });
        const other = await startRun({ store, owner: { ...owner, principal: "ben" } }, { ...request, run: "first" });
        expect(other).toMatchObject({ change: "create", plan: { epoch: 1 } });
      });
    });
  });
}

/** A turn every two minutes, from half past eleven in the evening on. */
function turnOf(turn: number): Order {
  return {
    ...{ principal: "ada", session: "main", run: `run-${turn}`, instructions: "Answer briefly." },
    scopes: turn < 20 ? MAIL : ["mail.read"],
    memoryText: turn < 10 ? "Likes tea." : `Likes coffee since turn ${turn - (turn % 10)}.`,
    newTool: turn >= 30,
    now: Date.UTC(2026, 10, 30, 23, 30) + turn * 2 * 60_000,
  };
}

/** One created event, epochs without a gap or a double, and every worker on an epoch that the store has, with its hash. */
async function checkSession(store: EventStore, session: string, answers: readonly (Answer | null)[]): Promise<void> {
  const { plans } = await new PlanStore(store, owner).allPlans(session);
  const epochs = plans.map((epoch) => (epoch.kind === "plan" ? epoch.plan : null));
  expect(epochs.map((plan) => plan?.epoch)).toEqual(epochs.map((_, index) => index + 1));
  expect(plans.map((epoch) => epoch.kind === "plan" && epoch.verb === "create").filter(Boolean).length).toBe(
    plans.length > 0 ? 1 : 0,
  );
  for (const answer of answers) {
    if (answer !== null) expect(epochs[answer.epoch - 1]?.prefixSha256).toBe(answer.prefixSha256);
  }
}

async function runAuthorityStep(url: string, step: number): Promise<string> {
  const script = fileURLToPath(new URL("./authority-process.ts", import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, url, String(step)]);
  return stdout + stderr;
}

async function using<T>(url: string, use: (store: EventStore) => Promise<T>): Promise<T> {
  const store = await openStore(url);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
