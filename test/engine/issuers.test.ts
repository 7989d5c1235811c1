/** Who sealed reasoning is known over restarts and by every process of a store (DG-28). */
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { ENGINE_OWNER, Journal } from "../../src/engine/journal.ts";
import type { EventStore } from "../../src/store/event-store.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import type { Backend } from "../../src/wire/api.ts";
import { assistant, request, text, thinking, user } from "../dispatch/anthropic-body.ts";
import { reasoning, request as responsesRequest, said, user as userItem } from "../dispatch/responses-body.ts";

const open = (store: EventStore) => createEngine({ store, hashKey: Buffer.alloc(32, 7) });

interface Turn {
  readonly backend: Backend;
  readonly path: string;
  readonly key?: string;
}

async function check(engine: Engine, body: object, { backend, path, key = "one" }: Turn) {
  const bytes = Buffer.from(JSON.stringify(body));
  const upstream = { name: backend, url: "http://127.0.0.1:1", backend };
  const headers = { authorization: `Bearer ${key}` };
  return await engine.checkRequest({ upstream, mode: "guard", method: "POST", path, headers, body: bytes });
}

const answer = (status: number, body: object) => ({
  status,
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(body)),
  complete: true,
});

/** A turn whose answer holds sealed reasoning. */
async function answered(engine: Engine, body: object, turn: Turn, reply: object): Promise<void> {
  engine.observeResponse(await check(engine, body, turn), answer(200, reply));
}

const stamps = (store: EventStore) => store.read(ENGINE_OWNER, "engine/issuers");

const thought = [thinking("hm"), thinking("so"), text("eleven")];
const thoughtReply = { type: "message", role: "assistant", content: thought };
const asked = request([user("count")]);
const followed = request([user("count"), assistant(thought), user("and?")]);
const messages = (backend: Backend, key?: string): Turn => ({ backend, path: "/v1/messages", ...(key && { key }) });

test("A-SIG-18 DG-28 after a restart thinking of another issuer goes before it is sent, that of another door does not", async () => {
  const store = openMemoryStore();
  const first = await open(store);
  await answered(first, asked, messages("zai"), thoughtReply);
  await first.close();
  const again = await open(store);
  const { body, record } = await check(again, followed, messages("anthropic"));
  expect(record.edits.map(({ rule }) => rule)).toContain("A-SIG-18");
  expect(JSON.parse(Buffer.from(body).toString()).messages[1].content).toEqual([text("eleven")]);
  await again.close();

  const other = openMemoryStore();
  const bedrock = await open(other);
  await answered(bedrock, asked, messages("bedrock"), thoughtReply);
  await bedrock.close();
  const anthropic = await open(other);
  expect((await check(anthropic, followed, messages("anthropic"))).record.outcome).toBe("sent");
  await anthropic.close();
});

const items = [reasoning("rs_1"), said("eleven", { id: "msg_1" })];
const itemsReply = { id: "resp_1", object: "response", status: "completed", output: items };
const askedItems = responsesRequest([userItem("count")]);
const followedItems = responsesRequest([userItem("count"), ...items, userItem("and?")]);
const endpoint = (backend: Backend, key?: string): Turn => ({ backend, path: "/v1/responses", ...(key && { key }) });

test("R-ENC-10 DG-28 after a restart reasoning that another endpoint sealed goes before it is sent", async () => {
  const store = openMemoryStore();
  const first = await open(store);
  await answered(first, askedItems, endpoint("azure"), itemsReply);
  await first.close();
  const again = await open(store);
  const { body } = await check(again, followedItems, endpoint("openai"));
  expect(Buffer.from(body).toString()).not.toContain("sealed-rs_1");
  expect((await check(again, followedItems, endpoint("azure"))).record.outcome).toBe("sent");
  await again.close();
});

test("R-ENC-10 A-SIG-18 DG-28 seals of another account are sent, and go when the provider does not take them", async () => {
  const store = openMemoryStore();
  const engine = await open(store);
  await answered(engine, askedItems, endpoint("openai", "one"), itemsReply);
  await answered(engine, asked, messages("anthropic", "one"), thoughtReply);
  const item = await check(engine, followedItems, endpoint("openai", "two"));
  expect(item.record.outcome).toBe("sent");
  const unreadable = { error: { message: "The encrypted content for item rs_1 could not be verified.", code: null } };
  const retried = await engine.retryAfterRejection(item, answer(400, unreadable));
  expect(Buffer.from(retried!.body).toString()).not.toContain("sealed-rs_1");

  const thinks = await check(engine, followed, messages("anthropic", "two"));
  expect(thinks.record.outcome).toBe("sent");
  const message = "messages.1.content.0: Invalid `signature` in `thinking` block";
  const unsigned = answer(400, { type: "error", error: { type: "invalid_request_error", message } });
  const dropped = await engine.retryAfterRejection(thinks, unsigned);
  expect(JSON.parse(Buffer.from(dropped!.body).toString()).messages[1].content).toEqual([text("eleven")]);
  // Its own words are taken back by who issued them: such a rejection has another reason.
  const own = await check(engine, followed, messages("anthropic", "one"));
  expect(await engine.retryAfterRejection(own, unsigned)).toBeNull();
  await engine.close();
});

test("DG-28 DG-75 an answer is one event, with nothing in it but keyed hashes, and the same answer is none", async () => {
  const store = openMemoryStore();
  const engine = await open(store);
  for (let nth = 0; nth < 3; nth++) await answered(engine, asked, messages("anthropic"), thoughtReply);
  await answered(engine, asked, messages("anthropic"), { type: "message", role: "assistant", content: [text("no")] });
  await engine.close();
  const events = await stamps(store);
  expect(events.map(({ type }) => type)).toEqual(["session.issuer.seen"]);
  const written = Buffer.from(events[0]!.data).toString();
  const hash = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(JSON.parse(written)).toEqual({
    v: 1,
    issuer: { name: "anthropic", namespace: hash, model: "claude-sonnet-4-5" },
    seals: [hash, hash],
  });
  expect(written).not.toContain("sealed");
});

test("DG-28 a start reads the newest answers only, and goes on behind them", async () => {
  const store = openMemoryStore();
  const event = (nth: number) => ({ type: "session.issuer.seen", data: Buffer.from(JSON.stringify({ v: 1, nth })) });
  await store.append(
    ENGINE_OWNER,
    "engine/issuers",
    0,
    Array.from({ length: 10 }, (_, nth) => event(nth)),
  );
  const journal = new Journal(store, () => {});
  const heard: number[] = [];
  const newest = { type: "session.issuer.seen", eventsMax: 3 };
  await journal.follow<{ nth: number }>("engine/issuers", ({ nth }) => heard.push(nth), newest);
  expect(heard).toEqual([7, 8, 9]);
  await store.append(ENGINE_OWNER, "engine/issuers", 10, [event(10)]);
  journal.write("engine/issuers", "session.issuer.seen", { v: 1, nth: 11 });
  await journal.close();
  expect(heard).toEqual([7, 8, 9, 10]);
  expect(await stamps(store)).toHaveLength(12);
});
