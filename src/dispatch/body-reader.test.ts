import fc from "fast-check";
import { expect, test } from "vitest";
import { isObject, type JsonObject } from "../wire/request.ts";
import { readByDifference, readWhole } from "./body-reader.ts";

const row = fc.record({
  role: fc.constantFrom("user", "assistant"),
  content: fc.oneof(fc.string({ unit: "grapheme" }), fc.json()),
});
const extra = fc.dictionary(fc.constantFrom("model", "system", "tools", "stream", "a]b"), fc.jsonValue(), {
  maxKeys: 3,
});

const body = fc.record({ head: extra, rows: fc.array(row, { maxLength: 8 }), tail: extra, indent: fc.nat({ max: 2 }) });

type Parts = typeof body extends fc.Arbitrary<infer T> ? T : never;

function bytesOf({ head, rows, tail, indent }: Parts): Buffer {
  return Buffer.from(JSON.stringify({ ...head, messages: rows, ...tail }, null, indent));
}

test("DG-1 a body read by its difference is what JSON.parse makes of it, whatever changed", () => {
  fc.assert(
    fc.property(body, body, fc.nat({ max: 8 }), fc.boolean(), (first, second, kept, sameEnds) => {
      const rows = [...first.rows.slice(0, kept), ...second.rows];
      const after = bytesOf(sameEnds ? { ...first, rows } : { ...second, rows });
      const before = bytesOf(first);
      const read = readByDifference(after, readWhole(before, JSON.parse(before.toString()) as JsonObject));
      if (read === null) return;
      expect(read.value).toEqual(JSON.parse(after.toString()));
      const again = readByDifference(after, read)!;
      expect(again.value).toEqual(read.value);
    }),
    { numRuns: 2_000 },
  );
});

test("BM-V3 rows that were there before are the same objects, and only the new bytes are parsed", () => {
  const rows = Array.from({ length: 200 }, (_, index) => ({
    role: "user",
    content: `row ${index} ${"x".repeat(500)}`,
  }));
  const make = (messages: object[]) =>
    Buffer.from(JSON.stringify({ model: "m", messages, system: "s".repeat(10_000) }));
  const bytes = make(rows);
  const before = readWhole(bytes, JSON.parse(bytes.toString()) as JsonObject);
  const added = { role: "user", content: "new" };
  const read = readByDifference(make([...rows, added]), before)!;
  expect(read.reusedRows).toBe(200);
  expect((read.value.messages as unknown[])[7]).toBe((before.value.messages as unknown[])[7]);
  expect(read.parsedBytes).toBeLessThan(JSON.stringify(added).length * 1.2);
});

test("DG-6 a name that stands twice, a cut body and a changed head are read as a whole", () => {
  const before = '{"model":"m","messages":[{"a":1},{"b":2}],"x":1}';
  const check = (after: string): void => {
    const whole = readWhole(Buffer.from(before), JSON.parse(before) as JsonObject);
    expect(readByDifference(Buffer.from(after), whole)).toBeNull();
  };
  check('{"model":"m","messages":[{"a":1},{"b":2}],"messages":[{"c":3}]}');
  check('{"model":"m","messages":[{"a":1},{"b":2}],"model":"n"}');
  check('{"model":"m","messages":[{"a":1},{"b":');
  check('{"model":"n","messages":[{"a":1},{"b":2}],"x":1}');
  expect(isObject(readWhole(Buffer.from("{}"), {}).value)).toBe(true);
});
