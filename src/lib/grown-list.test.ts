import { expect, test } from "vitest";
import { grownList } from "./grown-list.ts";

test("a list goes on from where it was kept, with few elements and with more than a stack holds", () => {
  expect(grownList(["a", "b", "c"], 2, ["x"])).toEqual(["a", "b", "x"]);
  expect(grownList(["a", "b"], 2, [])).toEqual(["a", "b"]);
  expect(grownList([], 0, ["x", "y"])).toEqual(["x", "y"]);
  const many = Array.from({ length: 300_000 }, (_, n) => n);
  expect(grownList([-2, -1], 1, many)).toEqual([-2, ...many]);
});
