/** What was prepared against what is at the socket, in windows and words. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareHistories, lostCharacters } from "../../src/dispatch/compare.ts";
import { afterComparison, beforeComparison, NO_SHAPES, shapeKey } from "../../src/session/shape-memory.ts";
import { readAnthropicRequest } from "../../src/wire/anthropic-messages/request.ts";
import { assistant, type BodyRow, call, image, request, result, text, thinking, user } from "./anthropic-body.ts";
import { legalHistory } from "./anthropic-history.ts";

const rowsOf = (messages: readonly BodyRow[]) => readAnthropicRequest(request(messages) as never).rows;

const base = [
  user("go"),
  assistant([text("I look."), call("a"), call("b")]),
  user([result("a", "one"), result("b", "two")]),
  user("thanks"),
];

function check(observed: readonly BodyRow[], expected: Record<string, number>): void {
  const found = compareHistories(rowsOf(base), rowsOf(observed));
  expect(Object.fromEntries(found.map((divergence) => [divergence.class, divergence.count]))).toEqual(expected);
}

test("DG-50 results in another order, pulled forward or split over rows are the same windows", () => {
  check(base, {});
  check([base[0]!, base[1]!, user([result("b", "two"), result("a", "one")]), base[3]!], { row_moved: 1 });
  check([base[0]!, base[1]!, user([result("a", "one")]), user([result("b", "two")]), base[3]!], { rows_merged: 1 });
});

test("DG-50 every habit of a host has its class, and none is hard", () => {
  check([...base, user("<notice>a host row</notice>")], { row_extra: 1 });
  check(base.slice(0, 3), { row_missing: 1 });
  check([base[0]!, base[1]!, user([result("a", "[dropped 3]"), result("b", "two")]), base[3]!], {
    result_content_changed: 1,
  });
  check(
    [
      base[0]!,
      assistant([text("I look."), call("x"), call("b")]),
      user([result("x", "one"), result("b", "two")]),
      base[3]!,
    ],
    { id_renamed: 1 },
  );
  check([base[0]!, assistant([text("I look."), call("b")]), user([result("b", "two")]), base[3]!], { pair_dropped: 1 });
  check([base[0]!, assistant([text("I  look."), call("a"), call("b")]), base[2]!, base[3]!], { whitespace: 1 });
  check([user([text("go")]), ...base.slice(1)], { string_or_blocks: 1 });
  check([user("go thanks"), ...base.slice(1, 3)], { rows_merged: 2 });
});

test("DG-50 images, thinking, open calls and ids of another api are told apart", () => {
  const compared = (prepared: readonly BodyRow[], observed: readonly BodyRow[]) =>
    compareHistories(rowsOf(prepared), rowsOf(observed)).map((divergence) => divergence.class);
  expect(compared([user([text("a"), image(9, 9)])], [user([text("a")])])).toEqual(["image_trimmed"]);
  expect(compared([assistant([thinking("x"), text("a")])], [assistant([text("a")])])).toEqual([
    "foreign_reply_rewritten",
  ]);
  expect(compared([assistant([call("a")])], [assistant([call("a")]), user([result("a")])])).toEqual([
    "result_synthesised",
  ]);
  expect(
    compared(
      [assistant([call("call|fc_1")]), user([result("call|fc_1")])],
      [assistant([call("call")]), user([result("call")])],
    ),
  ).toEqual([]);
});

test("DG-51 a window is the whole parallel batch", () => {
  const split = [base[0]!, assistant([text("I look."), call("a")]), assistant([call("b")]), base[2]!, base[3]!];
  check(split, { rows_merged: 1 });
});

test("DG-1 thousands of calls of which none is found again hold up no turn", () => {
  const calls = (name: string) =>
    Array.from({ length: 9_000 }, (_, at) => ({ ...call(`${name}${at}`), name: `${name}${at}` }));
  const found = compareHistories(rowsOf([assistant(calls("a"))]), rowsOf([assistant(calls("b"))]));
  expect(found.map((divergence) => [divergence.class, divergence.count])).toEqual([
    ["pair_dropped", 9_000],
    ["row_extra", 9_000],
  ]);
});

test("DG-1 hundreds of long texts that are all others now hold up no turn", () => {
  const words = (name: string) => Array.from({ length: 400 }, (_, at) => user(`${name}${at} `.repeat(2_000)));
  const found = compareHistories(rowsOf(words("a")), rowsOf(words("b")));
  expect(found.map((divergence) => [divergence.class, divergence.count])).toEqual([
    ["row_missing", 400],
    ["row_extra", 400],
  ]);
});

test("DG-31 how many results lost how much is said", () => {
  const trimmed = [base[0]!, base[1]!, user([result("a", ""), result("b", "two")]), base[3]!];
  expect(lostCharacters(rowsOf(base), rowsOf(trimmed))).toEqual({ results: 1, characters: 3 });
});

test("DG-2 comparing any two histories gives an answer of soft classes, and a history equals itself", () => {
  fc.assert(
    fc.property(legalHistory, legalHistory, (one, other) => {
      expect(compareHistories(rowsOf(one.messages), rowsOf(one.messages))).toEqual([]);
      for (const divergence of compareHistories(rowsOf(one.messages), rowsOf(other.messages))) {
        expect(divergence.count).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
});

const context = { host: "pi", api: "anthropic-messages", model: "m", rowDifference: 0 };
const moved = [{ class: "row_moved", path: "/messages/1", count: 1 }] as const;

test("DG-40 a shape is its classes and the difference in rows, never the number of rows", () => {
  expect(shapeKey(moved, context)).toBe(shapeKey([{ ...moved[0], path: "/messages/9", count: 4 }], context));
  expect(shapeKey(moved, context)).not.toBe(shapeKey(moved, { ...context, rowDifference: 1 }));
});

test("DG-41 DG-42 the first mismatch is reported once; the operation and the next ones with a known shape are not compared", () => {
  const first = afterComparison(NO_SHAPES("anthropic-messages", "m"), moved, context);
  expect(first).toMatchObject({ fresh: shapeKey(moved, context), memory: { skips: true } });
  const same = beforeComparison(first.memory, { api: "anthropic-messages", model: "m", opensOperation: false });
  expect(same.skips).toBe(true);
  expect(beforeComparison(same, { api: "anthropic-messages", model: "m", opensOperation: true }).skips).toBe(true);
  expect(afterComparison(same, moved, context).fresh).toBeNull();
});

test("DG-43 another api or model begins anew", () => {
  const { memory } = afterComparison(NO_SHAPES("anthropic-messages", "m"), moved, context);
  expect(beforeComparison(memory, { api: "anthropic-messages", model: "other", opensOperation: false })).toEqual(
    NO_SHAPES("anthropic-messages", "other"),
  );
});
