/** What has to hold where Holdfast is part of a program of one's own: an SDK with its `fetch`, or a model of the AI SDK. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../../src/engine/create-engine.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { openProcessEngine } from "../../../src/hosts/process-engine.ts";
import type { WrapFetchOptions } from "../../../src/hosts/wrap-fetch.ts";
import type { EventStore } from "../../../src/store/event-store.ts";
import { openMemoryStore } from "../../../src/store/memory/open-store.ts";
import type { Api, Upstream } from "../../../src/wire/api.ts";
import { addNoteBlocks } from "../clients/add-note-blocks.ts";
import type { PayloadEdit } from "../clients/payload-edit.ts";
import { proves } from "../matrix/proves.ts";
import type { Host } from "../matrix/stages.ts";
import { type Client, LONG_TEXT } from "./client-suite.ts";
import { setDirectStage } from "./direct-stage.ts";
import { holdLock } from "./hold-lock.ts";
import type { Servers, Stage } from "./stage.ts";
import { readCounts } from "./stored-counts.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A conversation of a program that holds its history itself. */
export interface InProcessClient extends Client {
  /** From its next request on, somebody else's code edits what Holdfast is about to see. */
  editPayloads(edit: PayloadEdit): void;
  /** Another model of the same client. */
  switchModel(): void;
}

export interface InProcessHost {
  readonly host: Host;
  readonly apis: readonly Api[];
  /** @param options without them Holdfast is not there */
  readonly open: (servers: Servers, api: Api, options: WrapFetchOptions | null) => Promise<InProcessClient>;
  /** Whether what the caller means to send can be had. */
  readonly prepares: boolean;
}

export function describeInProcess({ host, apis, open, prepares }: InProcessHost): void {
  const [api] = apis as [Api];

  describe.each(apis.map((one) => [one] as const))(`${host}, %s`, (each) => {
    const undisturbed = proves(host, prepares ? ["same bytes", "prepared"] : ["same bytes"], each);
    test(
      "HO-1, HO-12, DG-5 an undisturbed session has the same bytes with Holdfast as without, and no difference to what was meant",
      undisturbed,
      async () => {
        const [without, withIt] = [await setDirectStage(), await setDirectStage()];
        const engine = await openTestEngine();
        for (const stage of [without, withIt]) {
          const client = await open(stage, each, stage === withIt ? { engine, upstreams: upstreamsOf(stage) } : null);
          for (const words of [`${LONG_TEXT} Look twice [[two]]`, "Think [[think]] [[tool]]", "Thank you"])
            await client.say(words);
        }
        const bodies = [without, withIt].map(({ provider }) => provider.requests.map(({ body }) => body.toString()));
        expect(bodies[0]!.length).toBe(5);
        expect(bodies[1]).toEqual(bodies[0]);
        expect(sum(engine, "request", { verdict: "admit", outcome: "sent" })).toBe(5);
        expect(engine.counters().filter(({ name }) => name.startsWith("divergence"))).toEqual([]);
      },
    );

    test(
      "HO-4, DG-20, DG-25 a broken history is repaired before it leaves, with the same repair after a restart",
      proves(host, ["repair ahead", "restart"], each),
      async () => {
        const stage = await setDirectStage();
        const store = openMemoryStore();
        const restarting = await openRestartingEngine(store);
        const client = await open(stage, each, { engine: restarting.engine, upstreams: upstreamsOf(stage) });
        await client.say(`${LONG_TEXT} Look twice [[two]]`);
        await client.breakHistory();
        const before = stage.provider.requests.length;
        for (const words of ["Go on", "And on"]) await client.say(words);
        await restarting.restart();
        await client.say("And on again");
        expect(stage.provider.requests.slice(before).map(({ status }) => status)).toEqual([200, 200, 200]);
        expect(sum(restarting.engine, "request", { outcome: "repaired" })).toBe(1);
        const [first, second, third] = stage.provider.meter.turns.slice(-3);
        expect(second!.read).toBe(first!.read + first!.written);
        expect(third!.read).toBe(second!.read + second!.written);
      },
    );
  });

  test(
    `HO-4, DG-11 ${host}: what an unknown server rejects is repaired at once, and ahead from then on`,
    proves(host, ["repair after a 400"]),
    async () => {
      const stage = await setDirectStage();
      const client = await open(stage, api, { engine: await openTestEngine() });
      await client.say("Look [[tool]]");
      await client.breakHistory();
      const before = stage.provider.requests.length;
      for (const words of ["Go on", "And on"]) await client.say(words);
      expect(stage.provider.requests.slice(before).map(({ status }) => status)).toEqual([400, 200, 200]);
    },
  );

  test(
    `DG-5, DG-41 acceptance 4 on ${host}: ten turns with a block that nothing models are one shape at most, with flat cache writes`,
    proves(host, ["unmodelled shape"]),
    async () => {
      const stage = await setDirectStage();
      const engine = await openTestEngine();
      const client = await open(stage, api, { engine, upstreams: upstreamsOf(stage) });
      await client.say(`${LONG_TEXT} Look [[tool]]`);
      client.editPayloads(addNoteBlocks);
      for (let turn = 2; turn <= 11; turn++) await client.say(`Turn ${turn}`);
      expect(stage.provider.requests.map(({ status }) => status)).toEqual(Array(12).fill(200));
      expect(sum(engine, "request", { verdict: "admit-unverified", outcome: "sent" })).toBe(10);
      expect(sum(engine, "divergence_shape")).toBeLessThanOrEqual(1);
      const turns = stage.provider.meter.turns.slice(-9);
      for (const [at, { read, written }] of turns.entries()) {
        const before = turns[at - 1];
        if (before !== undefined) expect(read, `turn ${at + 1}`).toBe(before.read + before.written);
        expect(written, `turn ${at + 1}`).toBeLessThan(200);
      }
    },
  );

  test(
    `DG-24, DG-43 ${host}: a broken session goes on with another model, and with the first again`,
    proves(host, ["model switch"]),
    async () => {
      const stage = await setDirectStage();
      const engine = await openTestEngine();
      const client = await open(stage, api, { engine, upstreams: upstreamsOf(stage) });
      await client.say("Look [[tool]]");
      await client.breakHistory();
      const before = stage.provider.requests.length;
      for (const words of ["Go on", "And on"]) {
        client.switchModel();
        await client.say(words);
      }
      const sent = stage.provider.requests.slice(before);
      expect(sent.map(({ status }) => status)).toEqual([200, 200]);
      expect(new Set(sent.map(({ json }) => (json as { model: string }).model)).size).toBe(2);
      expect(sum(engine, "request", { outcome: "repaired" })).toBe(2);
    },
  );

  test(
    `HO-10 ${host}: a question beside the conversation has a lane of its own, and moves nothing of the main one`,
    proves(host, ["side turn"]),
    async () => {
      const stage = await setDirectStage();
      const engine = await openTestEngine();
      const options = { engine, upstreams: upstreamsOf(stage) };
      const main = await open(stage, api, options);
      await main.say(LONG_TEXT);
      const [asked] = stage.provider.meter.turns;
      await (await open(stage, api, options)).say("A title for it, please");
      await main.say("Go on");
      expect(sum(engine, "lane", { join: "opens" })).toBe(2);
      expect(sum(engine, "lane", { join: "extends" })).toBe(1);
      expect(stage.provider.meter.turns.at(-1)!.read).toBe(asked!.read + asked!.written);
    },
  );

  test(
    `HO-8, DG-70 ${host}: two processes with broken histories use one store at once`,
    proves(host, ["two processes"]),
    async () => {
      const stage = await setDirectStage();
      const storePath = `${temporaryFolder()}/holdfast.db`;
      const env = {
        ...process.env,
        HOLDFAST_STORE: `sqlite:${storePath}`,
        HOLDFAST_UPSTREAMS: upstreamsOf(stage)
          .map(({ name, url }) => `${name}=${url}`)
          .join(" "),
      };
      const program = fileURLToPath(new URL("../clients/broken-conversation.ts", import.meta.url));
      const children = [1, 2].map(() => spawn(process.execPath, [program, host, stage.anthropicUrl], { env }));
      expect(await Promise.all(children.map(endOf))).toEqual(["", ""]);
      const { requests } = stage.provider;
      expect(requests.map(({ status }) => status)).toEqual(Array(8).fill(200));
      const counts = await readCounts(storePath);
      expect(counts.sum("request")).toBe(8);
      expect(counts.sum("request", { outcome: "repaired" })).toBe(4);
      expect(counts.of("own_failure")).toEqual([]);
    },
  );

  test(
    `HO-3, DG-74 ${host}: a check of ours that throws or never ends costs no turn and is counted`,
    proves(host, ["throw in our code", "slow code of ours"]),
    async () => {
      const stage = await setDirectStage();
      const engine = await openTestEngine();
      let checks = 0;
      const checkRequest = () => (checks++ === 0 ? Promise.reject(new Error("ours")) : new Promise<never>(() => {}));
      const client = await open(stage, api, { engine: { ...engine, checkRequest }, upstreams: upstreamsOf(stage) });
      expect(await client.say("Look [[tool]]")).toContain("The tool said:");
      expect(stage.provider.requests.map(({ status }) => status)).toEqual([200, 200]);
      expect(sum(engine, "own_failure", { where: "fetch_check", reason: "throw" })).toBe(1);
      expect(sum(engine, "own_failure", { where: "fetch_check", reason: "deadline" })).toBe(1);
    },
  );

  test(
    `HO-5, HO-11, DG-74 ${host} goes on, and is repaired, while another program holds the store`,
    proves(host, ["store locked"]),
    async () => {
      const stage = await setDirectStage();
      const storePath = `${temporaryFolder()}/holdfast.db`;
      const env = { HOLDFAST_STORE: `sqlite:${storePath}` };
      await openProcessEngine(env).then(({ engine }) => engine.close());
      const release = holdLock(storePath);
      const { engine } = await openProcessEngine(env);
      onTestFinished(async () => {
        release();
        await engine.close();
      });
      const client = await open(stage, api, { engine, upstreams: upstreamsOf(stage) });
      await client.say("Look twice [[two]]");
      await client.breakHistory();
      await client.say("Go on");
      expect(stage.provider.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    },
  );
}

function upstreamsOf({ anthropicUrl, openaiUrl }: Stage): readonly Upstream[] {
  return [
    { name: "anthropic", url: anthropicUrl, backend: "anthropic" },
    { name: "openai", url: openaiUrl, backend: "openai" },
  ];
}

async function openTestEngine(store: EventStore = openMemoryStore()): Promise<Engine> {
  const engine = await createEngine({ store, hashKey: new Uint8Array(32) });
  onTestFinished(() => engine.close());
  return engine;
}

/** What a program holds on to, while the engine behind it ends and another one begins on the same store. */
async function openRestartingEngine(store: EventStore) {
  let current = await openTestEngine(store);
  const engine: Engine = {
    ...current,
    checkRequest: (request) => current.checkRequest(request),
    retryAfterRejection: (checked, response) => current.retryAfterRejection(checked, response),
    observeResponse: (checked, response) => current.observeResponse(checked, response),
    count: (name, labels) => current.count(name, labels),
    counters: () => current.counters(),
  };
  return {
    engine,
    async restart() {
      await current.close();
      current = await openTestEngine(store);
    },
  };
}

function sum(engine: Engine, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const has = (own: Readonly<Record<string, string>>) =>
    Object.entries(labels).every(([key, value]) => own[key] === value);
  return engine
    .counters()
    .filter((counter) => counter.name === name && has(counter.labels))
    .reduce((total, { count }) => total + count, 0);
}

/** @returns what went wrong in the words of the process; empty where nothing did */
async function endOf(child: ChildProcess): Promise<string> {
  onTestFinished(() => void child.kill("SIGKILL"));
  const [[code], errors] = await Promise.all([once(child, "close"), text(child.stderr!)]);
  return code === 0 ? "" : errors;
}
