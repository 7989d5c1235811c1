import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonNode, scanJson } from "../lib/json-spans.ts";
import { applyEdits } from "./apply-edits.ts";
import { lift, type RequestEdit } from "./request-edit.ts";

type Draft = Omit<RequestEdit, "rule" | "changes">;

function edited(text: string, ...drafts: Draft[]): string {
  const bytes = Buffer.from(text);
  const edits = drafts.map((draft): RequestEdit => ({ ...draft, rule: "A-PAIR-1", changes: "shape" }));
  return Buffer.from(applyEdits(bytes, scanJson(bytes) as JsonNode, edits)).toString();
}

test("DG-24 bytes outside the edits keep their spelling, white space included", () => {
  const text = '{ "a" : [ 1.0 , 2e3 , "\\u0041" ] ,"b":{"x":1,"y":2} }';
  const check = (draft: Draft[], expected: string): void => expect(edited(text, ...draft)).toBe(expected);
  check([{ op: "drop", path: "/a/0" }], '{ "a" : [ 2e3 , "\\u0041" ] ,"b":{"x":1,"y":2} }');
  check([{ op: "drop", path: "/a/1" }], '{ "a" : [ 1.0 , "\\u0041" ] ,"b":{"x":1,"y":2} }');
  check([{ op: "drop", path: "/a/2" }], '{ "a" : [ 1.0 , 2e3 ] ,"b":{"x":1,"y":2} }');
  check(
    [0, 1, 2].map((index) => ({ op: "drop", path: `/a/${index}` })),
    '{ "a" : [  ] ,"b":{"x":1,"y":2} }',
  );
  check([{ op: "insert", path: "/a/1", value: true }], '{ "a" : [ 1.0 , true,2e3 , "\\u0041" ] ,"b":{"x":1,"y":2} }');
  check([{ op: "insert", path: "/a/9", value: null }], '{ "a" : [ 1.0 , 2e3 , "\\u0041",null ] ,"b":{"x":1,"y":2} }');
  check([{ op: "move", path: "/a/0", from: "/a/2" }], '{ "a" : [ "\\u0041",1.0 , 2e3 ] ,"b":{"x":1,"y":2} }');
  check([{ op: "drop", path: "/b/x" }], '{ "a" : [ 1.0 , 2e3 , "\\u0041" ] ,"b":{"y":2} }');
  check([{ op: "insert", path: "/b/z", value: 3 }], '{ "a" : [ 1.0 , 2e3 , "\\u0041" ] ,"b":{"x":1,"y":2,"z":3} }');
  check(
    [{ op: "replace", path: "/a/1", value: [lift("/a/0")] }],
    '{ "a" : [ 1.0 , [1.0] , "\\u0041" ] ,"b":{"x":1,"y":2} }',
  );
  check(
    [
      { op: "drop", path: "/a/1" },
      { op: "insert", path: "/a/1", value: "n" },
      { op: "insert", path: "/a/1", value: "m" },
    ],
    '{ "a" : [ 1.0 , "n","m","\\u0041" ] ,"b":{"x":1,"y":2} }',
  );
});

test("DG-24 a moved element takes the edits inside it along, a dropped one loses them", () => {
  const text = '[{"c":[{"id":"a","t":1.0}]},{"c":[]},{"c":[{"id":"b"}]}]';
  expect(
    edited(text, { op: "move", path: "/1/c/0", from: "/0/c/0" }, { op: "replace", path: "/0/c/0/id", value: "z" }),
  ).toBe('[{"c":[]},{"c":[{"id":"z","t":1.0}]},{"c":[{"id":"b"}]}]');
  expect(edited(text, { op: "drop", path: "/2" }, { op: "replace", path: "/2/c/0/id", value: "z" })).toBe(
    '[{"c":[{"id":"a","t":1.0}]},{"c":[]}]',
  );
  expect(edited(text, { op: "replace", path: "/2/c/0", value: lift("/0/c/0") }, { op: "drop", path: "/0/c/0/t" })).toBe(
    '[{"c":[{"id":"a"}]},{"c":[]},{"c":[{"id":"a"}]}]',
  );
});

test("DG-24 any mix of drops and insertions gives the array that an array would", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.uniqueArray(fc.nat({ max: 5 })),
      fc.array(fc.tuple(fc.nat({ max: 7 }), fc.string()), { maxLength: 4 }),
      (items, drops, inserts) => {
        const dropped = drops.filter((index) => index < items.length);
        const draft: Draft[] = dropped.map((index) => ({ op: "drop", path: `/${index}` }));
        for (const [index, value] of inserts) draft.push({ op: "insert", path: `/${index}`, value });
        const expected: unknown[] = [];
        for (let index = 0; index <= items.length; index++) {
          for (const [at, value] of inserts) if (Math.min(at, items.length) === index) expected.push(value);
          if (index < items.length && !dropped.includes(index)) expected.push(items[index]);
        }
        expect(JSON.parse(edited(JSON.stringify(items), ...draft))).toEqual(expected);
      },
    ),
    { numRuns: 1000 },
  );
});
