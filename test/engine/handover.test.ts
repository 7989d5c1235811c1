/** A host and a gateway on one store see each request of an agent: they are one session, and each turn is counted once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine, ObservedRequest } from "../../src/engine/engine.ts";
import type { EventStore } from "../../src/store/event-store.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { assistant, type BodyRow, call, request, result, text, user } from "../dispatch/anthropic-body.ts";

const hashKey = Buffer.alloc(32, 7);

/** Nobody has named the server to the host, and an agent hands over no credential. */
const HOST: Seen = { upstream: { name: "127.0.0.1:1", url: "http://127.0.0.1:1" }, handover: "give" };
const GATEWAY: Seen = { upstream: { name: "anthropic", url: "http://x", backend: "anthropic" }, handover: "take" };

interface Seen {
  readonly upstream: ObservedRequest["upstream"];
  readonly handover: "give" | "take";
}

async function open(store: EventStore): Promise<Engine> {
  const engine = await createEngine({ store, hashKey });
  onTestFinished(() => engine.close());
  return engine;
}

async function check(engine: Engine, seen: Seen, body: Uint8Array, headers: Record<string, string> = {}) {
  return engine.checkRequest({ ...seen, mode: "guard", method: "POST", path: "/v1/messages", headers, body });
}

/** One turn of an agent with an extension: through the host first, then what left it through the gateway. */
async function turn(host: Engine, gateway: Engine, messages: readonly BodyRow[], seen: Seen = HOST) {
  const body = Buffer.from(JSON.stringify(request(messages)));
  const given = await check(host, seen, body, { "x-session-affinity": "session" });
  const taken = await check(gateway, GATEWAY, given.body, { "x-api-key": "one" });
  return { given: given.record, taken: taken.record };
}

function sum(name: string, ...engines: Engine[]): number {
  const counters = engines.flatMap((engine) => engine.counters());
  return counters.reduce((total, counter) => (counter.name === name ? total + counter.count : total), 0);
}

const first = [user("go")];
const second = [...first, assistant([call("a")]), user([result("a")])];
const third = [...second, assistant([text("ok")]), user("next")];

test("GW-9 host and gateway have one lane and one session, each turn counts once, also when the gateway restarts", async () => {
  const store = openMemoryStore();
  const [host, gateway] = [await open(store), await open(store)];
  const lanes = [];
  for (const messages of [first, second]) lanes.push(await turn(host, gateway, messages));
  await gateway.close();
  const again = await open(store);
  lanes.push(await turn(host, again, third));
  const { lane, session } = lanes[0]!.given;
  for (const { given, taken } of lanes) {
    expect([given.lane, given.session, taken.lane, taken.session]).toEqual([lane, session, lane, session]);
  }
  expect(sum("request", host, gateway, again)).toBe(3);
  expect(sum("request_behind_host", gateway, again)).toBe(3);
});

test("GW-9 a branch is handed on too, and a history that begins alike is another client's", async () => {
  const store = openMemoryStore();
  const [host, gateway] = [await open(store), await open(store)];
  const main = await turn(host, gateway, third);
  const branch = await turn(host, gateway, [...second, assistant([text("ok")]), user("elsewhere")]);
  expect(branch.given.lane).not.toBe(main.given.lane);
  expect(branch.taken.lane).toBe(branch.given.lane);
  // A host that began anew knows its lane by its beginning only; the gateway remembers where this one leaves it.
  const other = await turn(await open(store), gateway, [...second, assistant([text("ok")]), user("a third way")]);
  expect(other.taken.session).toBe(main.given.session);
  const alike = await check(gateway, GATEWAY, Buffer.from(JSON.stringify(request(third))), { "x-api-key": "two" });
  expect(alike.record.lane).not.toBe(main.given.lane);
  expect(sum("request", host, gateway)).toBe(3);
  expect(sum("request_behind_host", gateway)).toBe(3);
});

test("GW-9 a gateway that is put in front of a session that has begun joins it with the next request", async () => {
  const store = openMemoryStore();
  const named = { upstream: { name: "anthropic", url: "https://api.anthropic.com", backend: "anthropic" } } as const;
  const alone = await open(store);
  const headers = { "x-session-affinity": "session" };
  const body = Buffer.from(JSON.stringify(request(first)));
  const before = await alone.checkRequest({ ...named, mode: "guard", method: "POST", path: "/", headers, body });
  await alone.close();
  const seen: Seen = { upstream: { ...named.upstream, url: "http://127.0.0.1:1" }, handover: "give" };
  const gateway = await open(store);
  const [one, two] = [await open(store), await open(store)];
  const { lane, session } = before.record;
  for (const [host, messages] of [
    [one, second],
    [one, third],
    [two, third],
  ] as const) {
    const { given, taken } = await turn(host, gateway, messages, seen);
    expect([given.lane, given.session, taken.lane, taken.session]).toEqual([lane, session, lane, session]);
  }
  expect(sum("request_behind_host", gateway)).toBe(3);
});

test("GW-9 a gateway that starts when a session has already been handed on joins it when its agent starts again", async () => {
  const store = openMemoryStore();
  const host = await open(store);
  const { record } = await check(host, HOST, Buffer.from(JSON.stringify(request(first))), {
    "x-session-affinity": "session",
  });
  await host.close();
  const gateway = await open(store);
  // What was handed on then is too old to be taken.
  vi.setSystemTime(Date.now() + 60_000);
  onTestFinished(() => void vi.useRealTimers());
  const { given, taken } = await turn(await open(store), gateway, second);
  expect([given.lane, taken.lane, taken.session]).toEqual([record.lane, record.lane, record.session]);
});

test("GW-9 what a restarted host takes for the lane that it had, and the gateway for a branch of it, is the same session", async () => {
  const store = openMemoryStore();
  const gateway = await open(store);
  const host = await open(store);
  const { given } = await turn(host, gateway, first);
  await turn(host, gateway, second);
  const edited = [...first, assistant([call("a")]), user([result("a"), text("Mind the time.")])];
  const after = await turn(await open(store), gateway, edited);
  expect(after.given.lane).toBe(given.lane);
  expect(after.taken.session).toBe(given.session);
});

test("GW-9 what the host has repaired is legal at the gateway; what the gateway repairs is counted there", async () => {
  const store = openMemoryStore();
  const [host, gateway] = [await open(store), await open(store)];
  const broken = [user("go"), assistant([call("a")]), user("stop")];
  const named: Seen = { upstream: { ...HOST.upstream, backend: "anthropic" }, handover: "give" };
  const { given, taken } = await turn(host, gateway, broken, named);
  expect([given.outcome, taken.outcome, taken.verdict.kind]).toEqual(["repaired", "sent", "admit"]);
  expect(sum("repair", host, gateway)).toBe(1);
  const unnamed = await turn(host, gateway, [...broken, assistant([call("b")]), user("stop")]);
  expect([unnamed.given.outcome, unnamed.taken.outcome]).toEqual(["sent", "repaired"]);
  expect(sum("repair", host, gateway)).toBe(2);
});

test("GW-9, DG-74 while somebody holds the store, both go on as two sessions; when it is free again they are one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-"));
  const path = join(folder, "holdfast.db");
  const store = await openStore(`sqlite:${path}`);
  const [host, gateway] = [await open(store), await open(store)];
  const holder = new DatabaseSync(path);
  holder.exec("begin exclusive");
  const { given, taken } = await turn(host, gateway, first);
  holder.close();
  expect(taken.lane).not.toBe(given.lane);
  expect(taken.session).not.toBe(given.session);
  await host.flush();
  const heard = async () => expect((await turn(host, gateway, second)).taken.session).toBe(given.session);
  await vi.waitFor(heard, 10_000);
  await gateway.flush();
  await store.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
