import { expect, test } from "vitest";
import { HoldfastError, isHoldfastError } from "./error.ts";

test("an error of another copy of the package is recognised by its marker", () => {
  const foreign = { [Symbol.for("holdfast.error")]: true, code: "store_locked" };
  expect(isHoldfastError(foreign)).toBe(true);
  expect(isHoldfastError(new HoldfastError("x", "y"))).toBe(true);
  expect(isHoldfastError(new Error("y"))).toBe(false);
  expect(isHoldfastError(null)).toBe(false);
});
