import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonHash } from "./json-hash.ts";

/** Given texts, when they are hashed as JSON strings, then the hash is that of what `JSON.stringify` writes. */
function check(...values: readonly string[]) {
  const hash = new JsonHash();
  for (const value of values) hash.addString(value);
  const json = values.map((value) => JSON.stringify(value)).join("");
  expect(hash.finish("")).toBe(createHash("sha256").update(json).digest("hex"));
}

test("PI-1 a text is hashed with the escapes of JSON.stringify, wherever in it they stand", () => {
  const units = Array.from({ length: 0x101 }, (_, unit) => String.fromCharCode(unit));
  for (const unit of units) {
    for (let before = 0; before < 9; before++) check(`${"x".repeat(before)}${unit}abc`, unit.repeat(before));
  }
  check(units.join(""));
  check("");
});

test("PI-4 a pair of surrogates is one character, also where a long text is cut into slices", () => {
  for (let before = 0; before < 4; before++) check(`${"x".repeat(8 * 1024 - before)}\u{1f600}\n\u{1f600}`);
  check("\u{1f600}".repeat(100_000), '"\\\u0000'.repeat(50_000), "€".repeat(70_000));
});

test("PI-6 two hashes at once never mix: the second is right, and the first says so", () => {
  const [first, second] = [new JsonHash(), new JsonHash()];
  first.addString("first");
  second.addString("second");
  expect(second.finish("")).toBe(createHash("sha256").update('"second"').digest("hex"));
  expect(() => first.finish("")).toThrow(/while another one is written/);
  expect(() => first.addString("more")).toThrow(/while another one is written/);
});

test("PI-1 any well-formed text has the hash of its JSON", () => {
  const unit = fc.oneof(
    fc.constantFrom("\n", '"', "\\", "\u001f", " ", "!", "é", "\u2028", "\uffff", "\u{10ffff}"),
    fc.string({ minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 40 }), { maxLength: 5 }), (values) => check(...values)),
    { numRuns: Number(process.env.HOLDFAST_TEST_RUNS ?? 2000) },
  );
});
