import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, NumberText } from "./canonical-json.ts";
import { parseJsonText } from "./canonical-json-text.ts";

/** Given a number's spelling, when it is read and written, then this one comes out. */
function checkNumber(lexeme: string, canonical: string) {
  expect(canonicalJson(parseJsonText(Buffer.from(`{"n":${lexeme}}`)))).toBe(`{"n":${canonical}}`);
}

function checkError(text: string | Uint8Array, details: Record<string, unknown>, message: RegExp) {
  expect(() => parseJsonText(Buffer.from(text))).toThrow(
    expect.objectContaining({ details: expect.objectContaining(details), message: expect.stringMatching(message) }),
  );
}

test("PI-3 integers keep their digits, other spellings are those of ECMAScript", () => {
  checkNumber("9223372036854775807", "9223372036854775807");
  checkNumber("-9007199254740993", "-9007199254740993");
  checkNumber("9".repeat(400), "9".repeat(400));
  checkNumber("1000000000000000000000", "1000000000000000000000");
  for (const one of ["1", "1.0", "1e0", "10e-1", "0.1E1", "1.00000000000000000000"]) checkNumber(one, "1");
  checkNumber("0.0", "0");
  checkNumber("1e16", "10000000000000000");
  checkNumber("1e21", "1e+21");
  checkNumber("1.5e300", "1.5e+300");
  checkNumber("0.30000000000000004", "0.30000000000000004");
  checkNumber("1E-07", "1e-7");
});

test("PI-3 what would be rounded is an error with a path", () => {
  const path = { path: "/a/0" };
  checkError('{"a":[-0]}', path, /-0/);
  checkError('{"a":[-0.0]}', path, /-0/);
  checkError('{"a":[1e400]}', path, /1e400, which a double cannot hold/);
  checkError('{"a":[1e-400]}', path, /1e-400, which a double cannot hold/);
  checkError('{"a":[0.123456789012345678]}', path, /18 significant digits/);
  checkError('{"a":[9007199254740993.0]}', path, /would round/);
  checkError(`{"a":[${"9".repeat(401)}]}`, path, /401 digits/);
});

test("PI-2 a doubled member name is an error with a path, however it is spelled", () => {
  checkError('{"a":{"b":1,"b":2}}', { path: "/a/b" }, /stands twice/);
  checkError('{"a":1,"\\u0061":1}', { path: "/a" }, /stands twice/);
  checkError('{"__proto__":1,"__proto__":1}', { path: "/__proto__" }, /stands twice/);
  expect(parseJsonText(Buffer.from('{"toString":1,"constructor":2}'))).toEqual({ toString: 1, constructor: 2 });
});

test("PI-4 reading leaves the prototype alone", () => {
  const object = parseJsonText(Buffer.from('{"__proto__":{"polluted":true}}')) as Record<string, unknown>;
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  expect(Object.hasOwn(object, "__proto__")).toBe(true);
  expect(object.polluted).toBeUndefined();
});

test("CL-2 text that is not JSON is an error with line and column", () => {
  checkError('{\n  "a": tru\n}', { line: 2, column: 8 }, /^2:8: expected/);
  checkError("", { line: 1, column: 1 }, /^1:1: the text ends/);
  checkError("[1 2]", { line: 1, column: 4 }, /expected ',' or/);
  checkError(Buffer.from([0x22, 0xff, 0x22]), { line: 1, column: 2 }, /not valid UTF-8/);
  checkError("[".repeat(100_000), { line: 1 }, /nested deeper than 512 levels/);
});

test("the reader agrees with JSON.parse on every document and on every damaged one", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom("", ",", '"', "}", "e", "\\", "\u0000"), (json, at, damage) => {
      const text = json.slice(0, at % (json.length + 1)) + damage + json.slice(at % (json.length + 1));
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        expect(() => parseJsonText(Buffer.from(text))).toThrow();
        return;
      }
      let value: unknown;
      try {
        value = parseJsonText(Buffer.from(text));
      } catch (error) {
        expect(error).toMatchObject({ code: "not_canonical" });
        return;
      }
      expect(JSON.stringify(value, rounded)).toBe(JSON.stringify(expected));
    }),
    { numRuns: 1000 },
  );
});

/** What `JSON.parse` makes of an exact number. */
function rounded(_name: string, value: unknown): unknown {
  if (value instanceof NumberText) return Number(value.text);
  return typeof value === "bigint" ? Number(value) : value;
}
