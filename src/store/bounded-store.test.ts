import { expect, test } from "vitest";
import { BoundedStore } from "./bounded-store.ts";
import type { EventStore, Owner } from "./event-store.ts";
import { openMemoryStore } from "./memory/open-store.ts";

const ada: Owner = { tenant: "acme", principal: "ada" };
const data = new TextEncoder().encode('{"v":1}');

function bounded(store: EventStore) {
  const counted: string[] = [];
  const count = (name: string, labels: { operation: string; code?: string }) =>
    counted.push([name, labels.operation, labels.code ?? ""].join(" ").trim());
  return { counted, store: new BoundedStore(store, count, 20) };
}

test("DG-74 what the store knows is handed on, and nothing is counted", async () => {
  const { store, counted } = bounded(openMemoryStore());

  expect(await store.append(ada, "s", 0, [{ type: "t", data }])).toMatchObject({ value: { kind: "appended" } });
  expect(await store.append(ada, "s", 0, [{ type: "t", data }])).toMatchObject({ value: { kind: "conflict" } });
  expect(await store.read(ada, "s")).toMatchObject({ kind: "known", value: [{ version: 1 }] });
  expect(await store.latest(ada, "s", "t")).toMatchObject({ kind: "known", value: { version: 1 } });
  expect(await store.latest(ada, "s", "other")).toEqual({ kind: "known", value: undefined });
  expect(counted).toEqual([]);
});

test("DG-74 a store that fails is unknown and a count, not an exception", async () => {
  const memory = openMemoryStore();
  await memory.close();
  const { store, counted } = bounded(memory);

  const unknown = { kind: "unknown", reason: "failed" };
  expect(await store.read(ada, "s")).toEqual(unknown);
  expect(await store.latest(ada, "s", "t")).toEqual(unknown);
  expect(await store.append(ada, "s", 0, [{ type: "t", data }])).toEqual(unknown);
  expect(counted).toEqual([
    "store_failed read store_closed",
    "store_failed latest store_closed",
    "store_failed append store_closed",
  ]);
});

test("DG-74 a store that never answers costs the deadline, and in the end nothing is even asked", async () => {
  const stuck = Object.assign(openMemoryStore(), { latest: () => new Promise<never>(() => {}) });
  const { store, counted } = bounded(stuck);

  const answers = await Promise.all(Array.from({ length: 300 }, () => store.latest(ada, "s", "t")));

  expect(answers.filter((answer) => answer.kind === "unknown" && answer.reason === "late")).toHaveLength(256);
  expect(answers.filter((answer) => answer.kind === "unknown" && answer.reason === "overloaded")).toHaveLength(44);
  expect(counted.filter((line) => line === "store_late latest")).toHaveLength(256);
});
