import { expect, test } from "vitest";
import { sortByCodePoint } from "./code-point-order.ts";

function check(shuffled: string[], sorted: string[]) {
  expect(sortByCodePoint(shuffled)).toEqual(sorted);
}

test("PI-1 strings sort by code point, not by UTF-16 unit and not by locale", () => {
  check(["\u{1f600}", "\uff5e", "a"], ["a", "\uff5e", "\u{1f600}"]);
  check(["\ue000", "\ud7ff", "\u{10000}"], ["\ud7ff", "\ue000", "\u{10000}"]);
  check(["b", "B", "a", "ä", "_"], ["B", "_", "a", "b", "ä"]);
  check(["9", "10", "01", "1"], ["01", "1", "10", "9"]);
  check(["ab", "", "a"], ["", "a", "ab"]);
});

test("PI-1 the order equals the order of UTF-8 bytes for every pair of border characters", () => {
  const points = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff];
  const strings = points.flatMap((a) => points.map((b) => String.fromCodePoint(a, b)));
  const byBytes = [...strings].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  check(strings.reverse(), byBytes);
});
