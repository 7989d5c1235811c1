/** Real processes on one store: at once, and killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { EventStore } from "../../src/store/event-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { ada, sharedStream, text } from "./sample-events.ts";

const processes = 8;
const pairsEach = 10;
/** Acknowledged pairs after which the writer is killed: at the start, in the middle, near the end of its 100. */
const killPoints = [1, 7, 42, 95];

/** @param createUrl names an empty store */
export function processesSuite(name: string, createUrl: () => Promise<string>): void {
  describe(name, () => {
    test(`RT-1 ${processes} processes create one store and append to one stream: nothing is lost, doubled or mixed`, async () => {
      const url = await createUrl();

      const writers = Array.from({ length: processes }, (_, n) => startWriter(url, `p${n}`, pairsEach));
      const ends = await Promise.all(writers.map((writer) => writer.ended));

      expect(ends.map(({ code, errors }) => errors || code)).toEqual(Array(processes).fill(0));
      await using(url, async (store) => {
        const events = await readWhole(store);
        expect(events).toHaveLength(processes * pairsEach * 2);
        for (let n = 0; n < processes; n += 1) {
          const own = events.filter((event) => event.name === `p${n}` && event.part === 1).map((event) => event.n);
          expect(own).toEqual(Array.from({ length: pairsEach }, (_, pair) => pair));
        }
        expect(await store.counts()).toEqual([{ name: "pairs", labels: {}, count: processes * pairsEach }]);
      });
    });

    test("RT-1 a writer that is killed leaves the stream whole, with everything that was acknowledged", async () => {
      const url = await createUrl();
      let before = 0;
      for (const killPoint of killPoints) {
        const writer = startWriter(url, `killed at ${killPoint}`, 100);
        let acknowledged = before;
        let seen = 0;
        for await (const line of createInterface(writer.child.stdout!)) {
          acknowledged = Number(line);
          seen += 1;
          if (seen === killPoint) writer.child.kill("SIGKILL");
        }
        const { signal, errors } = await writer.ended;

        expect([signal, errors]).toEqual(["SIGKILL", ""]);
        await using(url, async (store) => {
          const events = await readWhole(store);
          expect(events.length).toBeGreaterThanOrEqual(acknowledged);
          expect((await store.check()).problems).toEqual([]);
          before = events.length;
        });
      }
    });
  });
}

interface WrittenEvent {
  readonly name: string;
  readonly n: number;
  readonly part: number;
}

/** The stream's events, once it is certain that versions have no gap and that each pair stands together. */
async function readWhole(store: EventStore): Promise<readonly WrittenEvent[]> {
  const stored = await store.read(ada, sharedStream);
  expect(stored.map(({ version }) => version)).toEqual(stored.map((_, index) => index + 1));
  const events = stored.map(({ data }) => JSON.parse(text(data)) as WrittenEvent);
  expect(events.length % 2).toBe(0);
  for (let index = 0; index < events.length; index += 2) {
    expect(events[index + 1]).toEqual({ ...events[index], part: 2 });
  }
  return events;
}

function startWriter(url: string, name: string, pairs: number): { child: ChildProcess; ended: Promise<ProcessEnd> } {
  const script = fileURLToPath(new URL("./appending-process.ts", import.meta.url));
  const child = spawn(process.execPath, [script, url, name, String(pairs)], { stdio: ["ignore", "pipe", "pipe"] });
  return { child, ended: untilEnd(child) };
}

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
}

async function untilEnd(child: ChildProcess): Promise<ProcessEnd> {
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, errors };
}

async function using(url: string, use: (store: EventStore) => Promise<unknown>): Promise<void> {
  const store = await openStore(url);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}
