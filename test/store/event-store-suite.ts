/** What every store must do. One function, run for each adapter: a difference between two of them is a bug. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EventStore, Owner } from "../../src/store/event-store.ts";
import { appendEventsMax, nameLengthMax } from "../../src/store/limits.ts";
import { ada, event, text } from "./sample-events.ts";

/** @param open gives a store on an empty database */
export function eventStoreSuite(name: string, open: () => Promise<EventStore>): void {
  describe(name, () => {
    let store: EventStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    test("RT-1 events come back in order of version with what was given", async () => {
      const first = await store.append(ada, "session/1", 0, [
        event({ v: 1, n: 1 }),
        event({ v: 1, n: 2 }, "other.seen"),
      ]);
      const second = await store.append(ada, "session/1", 2, [event({ v: 1, n: 3 })]);

      expect(first).toMatchObject({ kind: "appended", version: 2 });
      expect(second).toMatchObject({ kind: "appended", version: 3 });
      const events = await store.read(ada, "session/1");
      expect(events.map(({ version, type, data }) => [version, type, text(data)])).toEqual([
        [1, "thing.happened", '{"v":1,"n":1}'],
        [2, "other.seen", '{"v":1,"n":2}'],
        [3, "thing.happened", '{"v":1,"n":3}'],
      ]);
      expect(events.every((one) => one.stream === "session/1" && Number.isSafeInteger(one.recordedAt))).toBe(true);
    });

    test("RT-1 positions grow in a stream, and the result names the last one", async () => {
      const result = await store.append(ada, "s", 0, [event(1), event(2), event(3)]);

      const positions = (await store.read(ada, "s")).map(({ position }) => position);
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
      expect(new Set(positions).size).toBe(3);
      expect(result).toEqual({ kind: "appended", version: 3, position: positions[2] });
    });

    test("RT-1 the largest append is one: all of its events in their order", async () => {
      await store.append(ada, "s", 0, [event(0)]);
      const many = Array.from({ length: appendEventsMax }, (_, n) => event(n + 1));
      expect(await store.append(ada, "s", 1, many)).toMatchObject({ kind: "appended", version: appendEventsMax + 1 });

      const events = await store.read(ada, "s");
      expect(events.map(({ data }) => Number(text(data)))).toEqual(events.map((_, index) => index));
      expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));
    });

    for (const [expected, found] of [
      [0, 2],
      [1, 2],
      [3, 2],
    ] as const) {
      test(`RT-1 an append that expects version ${expected} of a stream at ${found} conflicts and writes nothing`, async () => {
        await store.append(ada, "s", 0, [event(1), event(2)]);

        expect(await store.append(ada, "s", expected, [event("late")])).toEqual({ kind: "conflict", version: found });
        expect((await store.read(ada, "s")).length).toBe(2);
      });
    }

    test("RT-1 a stream that does not exist has version 0", async () => {
      expect(await store.append(ada, "s", 4, [event(1)])).toEqual({ kind: "conflict", version: 0 });
      expect(await store.read(ada, "s")).toEqual([]);
      expect(await store.listStreams(ada)).toEqual([]);
    });

    test("RT-1 of many appends that expect the same version exactly one wins", async () => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) => store.append(ada, "s", 0, [event({ n, part: 1 }), event({ n, part: 2 })])),
      );

      expect(results.filter((result) => result.kind === "appended")).toHaveLength(1);
      expect(results.filter((result) => result.kind === "conflict" && result.version === 2)).toHaveLength(19);
      const [one, two] = (await store.read(ada, "s")).map(({ data }) => JSON.parse(text(data)));
      expect([one.part, two.part, one.n]).toEqual([1, 2, two.n]);
    });

    for (const [what, other] of [
      ["another principal", { tenant: "acme", principal: "bob" }],
      ["another tenant", { tenant: "evil", principal: "ada" }],
      ["names that join to the same text", { tenant: "acm", principal: "eada" }],
    ] as const) {
      test(`PI-25 for ${what} a stream does not exist`, async () => {
        await store.append(ada, "s", 0, [event("secret"), event("secret")]);

        expect(await store.read(other, "s")).toEqual([]);
        expect(await store.latest(other, "s", "thing.happened")).toBeUndefined();
        expect(await store.listStreams(other)).toEqual([]);
        expect(await store.append(other, "s", 2, [event("intruder")])).toEqual({ kind: "conflict", version: 0 });
        await store.quarantine(other, "s", 1, "not_mine");
        expect(await store.read(ada, "s")).toHaveLength(2);
      });
    }

    test("PI-25 two owners use one stream name without seeing each other", async () => {
      const bob: Owner = { tenant: "acme", principal: "bob" };
      await store.append(ada, "s", 0, [event("ada")]);
      await store.append(bob, "s", 0, [event("bob")]);

      expect((await store.read(ada, "s")).map(({ data }) => text(data))).toEqual(['"ada"']);
      expect((await store.read(bob, "s")).map(({ data }) => text(data))).toEqual(['"bob"']);
    });

    const bytes: readonly (readonly [string, Uint8Array])[] = [
      ["numbers as they are spelled", utf8('{"v":1,"a":1.0,"b":1e2,"c":-0.0,"d":9223372036854775807}')],
      ["keys in their order, twice", utf8('{"z":1,"10":2,"9":3,"a":{"b":1,"aa":2},"z":4}')],
      ["white space", utf8(' {\n"a" : [ 1 , 2 ] }\t')],
      ["an escaped NUL", utf8('{"v":1,"a":"\\u0000"}')],
      ["an escaped lone surrogate", utf8('{"v":1,"a":"\\ud800","b":"\\udfff"}')],
      ["letters beyond the basic plane", utf8('{"v":1,"a":"😀é𝄞\u{10FFFF}"}')],
      ["a number that no database holds", utf8('{"v":1,"a":1e999999}')],
      ["very deep nesting", utf8("[".repeat(20_000) + "]".repeat(20_000))],
      ["a raw NUL", new Uint8Array([0x22, 0x00, 0x22])],
      ["a lone surrogate in UTF-8", new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])],
      ["bytes that are no text", new Uint8Array(Array.from({ length: 256 }, (_, byte) => byte))],
      ["one megabyte", new Uint8Array(1 << 20).fill(0x61)],
    ];
    for (const [what, data] of bytes) {
      test(`PI-15 the bytes come back as given: ${what}`, async () => {
        await store.append(ada, "s", 0, [{ type: "bytes.kept", data }]);

        const [read] = await store.read(ada, "s");
        expect(Buffer.compare(read!.data, data)).toBe(0);
        const latest = await store.latest(ada, "s", "bytes.kept");
        expect(Buffer.compare(latest!.data, data)).toBe(0);
      });
    }

    test("PI-15 a buffer that its owner uses again does not change what is stored", async () => {
      const data = Buffer.from('"before"');
      const appended = store.append(ada, "s", 0, [{ type: "bytes.kept", data: data.subarray(1, 7) }]);
      await appended;
      data.fill(0x78);

      expect(text((await store.read(ada, "s"))[0]!.data)).toBe("before");
    });

    test("RT-1 read begins at a version and ends at a limit", async () => {
      await store.append(
        ada,
        "s",
        0,
        [1, 2, 3, 4, 5].map((n) => event(n)),
      );

      const versions = async (options: { fromVersion?: number; limit?: number }) =>
        (await store.read(ada, "s", options)).map(({ version }) => version);
      expect(await versions({ fromVersion: 4 })).toEqual([4, 5]);
      expect(await versions({ limit: 2 })).toEqual([1, 2]);
      expect(await versions({ fromVersion: 2, limit: 3 })).toEqual([2, 3, 4]);
      expect(await versions({ fromVersion: 6 })).toEqual([]);
    });

    test("PI-22 latest gives the newest event of its type, also one that another worker has just written", async () => {
      await store.append(ada, "s", 0, [event(1, "plan.created"), event(2, "plan.created"), event(3, "other.seen")]);
      expect(text((await store.latest(ada, "s", "plan.created"))!.data)).toBe("2");

      await store.append(ada, "s", 3, [event(4, "plan.created")]);
      expect(await store.latest(ada, "s", "plan.created")).toMatchObject({ version: 4, stream: "s" });
      expect(await store.latest(ada, "s", "plan")).toBeUndefined();
      expect(await store.latest(ada, "t", "plan.created")).toBeUndefined();
    });

    test("RT-1 streams are listed by code point, by prefix, page by page", async () => {
      const names = ["run/%", "run/1", "run/10", "run/_", "run/\uFF5E", "run/😀", "runner", "session/1", "Run/1"];
      for (const name of names) await store.append(ada, name, 0, [event(name)]);

      const list = async (options = {}) => (await store.listStreams(ada, options)).map(({ stream }) => stream);
      expect(await list()).toEqual([
        "Run/1",
        "run/%",
        "run/1",
        "run/10",
        "run/_",
        "run/\uFF5E",
        "run/😀",
        "runner",
        "session/1",
      ]);
      expect(await list({ prefix: "run/" })).toEqual(["run/%", "run/1", "run/10", "run/_", "run/\uFF5E", "run/😀"]);
      expect(await list({ prefix: "run/_" })).toEqual(["run/_"]);
      expect(await list({ prefix: "run/", limit: 2 })).toEqual(["run/%", "run/1"]);
      expect(await list({ prefix: "run/", after: "run/1", limit: 2 })).toEqual(["run/10", "run/_"]);
      expect(await store.listStreams(ada, { prefix: "sess" })).toEqual([{ stream: "session/1", version: 1 }]);
    });

    test("DG-73 a quarantined event is left out of every read and counted; the stream goes on", async () => {
      await store.append(ada, "s", 0, [event(1), event(2), event(3)]);

      await store.quarantine(ada, "s", 3, "not_readable");
      await store.quarantine(ada, "s", 3, "not_readable");
      await store.quarantine(ada, "s", 9, "not_there");

      expect((await store.read(ada, "s")).map(({ version }) => version)).toEqual([1, 2]);
      expect(await store.latest(ada, "s", "thing.happened")).toMatchObject({ version: 2 });
      expect(await store.append(ada, "s", 3, [event(4)])).toMatchObject({ kind: "appended", version: 4 });
      expect((await store.check()).quarantinedEvents).toBe(1);
    });

    test("PI-12 an erased stream has no bytes left, keeps its places, and goes on", async () => {
      const secret = "words that a person wants forgotten ".repeat(300);
      await store.append(ada, "s", 0, [event(secret), event(2), event(3)]);
      await store.append(ada, "t", 0, [event("stays")]);
      await store.quarantine(ada, "s", 2, "not_readable");

      expect(await store.eraseStream({ ...ada, principal: "ben" }, "s")).toBe(0);
      expect(await store.eraseStream(ada, "u")).toBe(0);
      expect(await store.eraseStream(ada, "s")).toBe(3);
      expect(await store.eraseStream(ada, "s")).toBe(0);

      expect(await store.read(ada, "s")).toEqual([]);
      expect(await store.latest(ada, "s", "thing.happened")).toBeUndefined();
      expect((await store.read(ada, "t")).length).toBe(1);
      expect(await store.listStreams(ada)).toEqual([
        { stream: "s", version: 3 },
        { stream: "t", version: 1 },
      ]);
      expect(await store.check()).toMatchObject({ events: 4, quarantinedEvents: 0, problems: [] });
      expect(await store.append(ada, "s", 3, [event(4)])).toMatchObject({ kind: "appended", version: 4 });
      expect((await store.read(ada, "s")).map(({ version }) => version)).toEqual([4]);
    });

    test("PI-25 whoever looks after the store can list its owners, page by page", async () => {
      const owners = [
        { tenant: "a", principal: "z" },
        { tenant: "b", principal: "\uff5e" },
        { tenant: "b", principal: "\u{1f600}" },
        { tenant: "ba", principal: "a" },
      ];
      expect(await store.listOwners()).toEqual([]);
      expect(await store.read(ada, "s")).toEqual([]);
      for (const owner of owners.toReversed()) await store.append(owner, "s", 0, [event(1)]);
      await store.append(owners[0]!, "t", 0, [event(1)]);

      expect(await store.listOwners()).toEqual(owners);
      expect(await store.listOwners({ limit: 2 })).toEqual(owners.slice(0, 2));
      expect(await store.listOwners({ after: owners[1]!, limit: 2 })).toEqual(owners.slice(2));
    });

    test("DG-70 counts add up, whatever the order of their labels", async () => {
      await store.addCounts([
        { name: "verdict", labels: { class: "admit", api: "a" }, count: 2 },
        { name: "verdict", labels: { api: "a", class: "admit" }, count: 3 },
        { name: "verdict", labels: {}, count: 1 },
      ]);
      await store.addCounts([{ name: "repair", labels: { __proto__x: "\0\ud800" }, count: 7 }]);
      await store.addCounts([]);

      expect(await store.counts()).toEqual([
        { name: "repair", labels: { __proto__x: "\0\ud800" }, count: 7 },
        { name: "verdict", labels: { api: "a", class: "admit" }, count: 5 },
        { name: "verdict", labels: {}, count: 1 },
      ]);
    });

    test("DG-70 counts of many writers at once are all there", async () => {
      await Promise.all(
        Array.from({ length: 50 }, () =>
          store.addCounts([
            { name: "a", labels: {}, count: 1 },
            { name: "b", labels: {}, count: 2 },
          ]),
        ),
      );

      expect(await store.counts()).toEqual([
        { name: "a", labels: {}, count: 50 },
        { name: "b", labels: {}, count: 100 },
      ]);
    });

    for (const [what, name] of [
      ["an empty name", ""],
      ["NUL", "a\0b"],
      ["a lone surrogate", "a\ud800"],
      ["a name that is too long", "x".repeat(nameLengthMax + 1)],
    ] as const) {
      test(`PI-25 ${what} is refused before two names can become one`, async () => {
        const refused = { code: "store_name_invalid" };
        await expect(store.append(ada, name, 0, [event(1)])).rejects.toMatchObject(refused);
        await expect(store.read(ada, name)).rejects.toMatchObject(refused);
        await expect(store.latest({ ...ada, tenant: name }, "s", "t")).rejects.toMatchObject(refused);
        await expect(store.listStreams({ ...ada, principal: name })).rejects.toMatchObject(refused);
      });
    }

    test("PI-25 the longest names are taken", async () => {
      const long = "é".repeat(nameLengthMax);
      await store.append({ tenant: long, principal: long }, long, 0, [event(1, long)]);

      expect(await store.latest({ tenant: long, principal: long }, long, long)).toMatchObject({ version: 1 });
    });

    test("DG-73 check reports a sound store with its size", async () => {
      await store.append(ada, "s", 0, [event(1), event(2)]);
      await store.append(ada, "t", 0, [event(3)]);

      const check = await store.check();
      expect(check).toMatchObject({ streams: 2, events: 3, quarantinedEvents: 0, locked: false, problems: [] });
      expect(check.bytes).toBeGreaterThan(0);
    });

    test("CL-6 after close every call says so", async () => {
      await store.close();

      await expect(store.append(ada, "s", 0, [event(1)])).rejects.toMatchObject({ code: "store_closed" });
      await expect(store.latest(ada, "s", "t")).rejects.toMatchObject({ code: "store_closed" });
      await expect(store.check()).rejects.toMatchObject({ code: "store_closed" });
      await store.close();
    });
  });
}

function utf8(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
