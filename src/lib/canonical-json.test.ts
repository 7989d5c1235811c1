import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalBytes, canonicalJson, canonicalSha256 } from "./canonical-json.ts";
import { digestObserved } from "./canonical-json-observed.ts";
import { parseJsonText } from "./canonical-json-text.ts";
import { JSON_DEPTH_MAX } from "./json-spans.ts";

/** Given a value, when it is written, then this text comes out, and the streamed hash is the hash of that text. */
function check(value: unknown, text: string) {
  expect(canonicalJson(value)).toBe(text);
  expect(canonicalSha256(value)).toBe(createHash("sha256").update(text).digest("hex"));
}

/** Given a value without canonical form, when it is written or hashed, then an error names the path. */
function checkRefused(value: unknown, path: string, reason: RegExp) {
  const error = expect.objectContaining({
    code: "not_canonical",
    details: { path, reason: expect.stringMatching(reason) },
  });
  expect(() => canonicalJson(value)).toThrow(error);
  expect(() => canonicalSha256(value)).toThrow(error);
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

test("PI-1 members are sorted by code point, also integer-like ones; arrays keep their order", () => {
  check({ b: 1, 10: 2, 9: 3, "01": 4 }, '{"01":4,"10":2,"9":3,"b":1}');
  check({ "\uff5e": 1, "\u{1f600}": 2, a: 3 }, '{"a":3,"\uff5e":1,"\u{1f600}":2}');
  check([3, 1, 2, {}, []], "[3,1,2,{},[]]");
  check('\u2028\u007f\n\u0001"\\/é', '"\u2028\u007f\\n\\u0001\\"\\\\/é"');
});

test("PI-1 depth is limited by an error, also for a circle", () => {
  check(nested(JSON_DEPTH_MAX), canonicalJson(nested(JSON_DEPTH_MAX)));
  expect(() => canonicalJson(nested(JSON_DEPTH_MAX + 1))).toThrow(/more than 512 levels/);
  expect(() => canonicalJson(nested(200_000))).toThrow(/more than 512 levels/);
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(() => canonicalJson(circle)).toThrow(/or a circle/);
});

test("PI-2 a set is an array sorted by canonical bytes, a map an object", () => {
  check({ s: new Set(["b", "a"]) }, '{"s":["a","b"]}');
  check(new Set([10, 9, "x", null, { b: 1, a: new Set([2, 1]) }]), '["x",10,9,null,{"a":[1,2],"b":1}]');
  check(
    new Map<string, unknown>([
      ["b", 1],
      ["10", new Set()],
      ["a", undefined],
    ]),
    '{"10":[],"b":1}',
  );
});

test("PI-2 absent, null and empty are three things", () => {
  check({ a: undefined }, "{}");
  check({ a: null }, '{"a":null}');
  check({ a: [] }, '{"a":[]}');
});

test("PI-2 what has no JSON form is an error that names the path", () => {
  class Point {
    x = 1;
  }
  checkRefused(undefined, "", /type undefined/);
  checkRefused({ a: [1, undefined] }, "/a/1", /type undefined/);
  // A hole is undefined too.
  checkRefused(new Array(1), "/0", /type undefined/);
  checkRefused({ a: { "b/c": () => 1 } }, "/a/b~1c", /type function/);
  checkRefused([Symbol("x")], "/0", /type symbol/);
  checkRefused([0, { a: new Date(0) }], "/1/a", /class Date/);
  checkRefused({ p: new Point() }, "/p", /class Point/);
  checkRefused({ p: Object("boxed") }, "/p", /class String/);
  checkRefused({ p: /x/ }, "/p", /class RegExp/);
  checkRefused({ toJSON: () => 1 }, "/toJSON", /type function/);
  checkRefused({ s: new Set([1, [undefined]]) }, "/s/1/0", /type undefined/);
  checkRefused({ s: new Set([{ a: 1 }, { a: 1 }]) }, "/s", /two elements of the same/);
  checkRefused({ m: new Map([[1, 1]]) }, "/m", /key of type number/);
});

test("PI-3 numbers are exact or refused", () => {
  check([1e21 / 1e21, 0.1 + 0.2, 1e-7, 5e-324, 1.5], "[1,0.30000000000000004,1e-7,5e-324,1.5]");
  check(
    [2n ** 63n - 1n, -(2n ** 64n), Number.MAX_SAFE_INTEGER],
    "[9223372036854775807,-18446744073709551616,9007199254740991]",
  );
  checkRefused([Number.NaN], "/0", /NaN/);
  checkRefused({ a: Number.NEGATIVE_INFINITY }, "/a", /-Infinity/);
  checkRefused({ a: -0 }, "/a", /-0/);
  checkRefused({ a: 2 ** 53 }, "/a", /9007199254740992/);
  checkRefused({ a: 1e300 }, "/a", /rounded/);
  checkRefused({ a: 10n ** 400n }, "/a", /401 digits/);
});

test("PI-4 names of the object prototype are plain data", () => {
  check(JSON.parse('{"__proto__":{"x":1},"constructor":2,"a":3}'), '{"__proto__":{"x":1},"a":3,"constructor":2}');
  check({ toString: 1, hasOwnProperty: 2 }, '{"hasOwnProperty":2,"toString":1}');
  check(Object.assign(Object.create(null), { b: 1, a: 2 }), '{"a":2,"b":1}');
});

test("PI-4 a lone surrogate is an error with a path, in a value and in a name", () => {
  checkRefused({ a: ["\ud800"] }, "/a/0", /lone surrogate/);
  checkRefused({ a: { "\udfff": 1 } }, "/a/\udfff", /lone surrogate in the member's name/);
  checkRefused(new Map([["\udfff", 1]]), "/\udfff", /lone surrogate/);
});

test("PI-6 observed data is hashed without an error, under a name of its own", () => {
  const bytes = Buffer.from('{"a":"\\ud800"}');
  const lossy = JSON.parse(bytes.toString());
  expect(digestObserved(lossy, () => bytes)).not.toBe(
    digestObserved({ a: "\udfff" }, () => Buffer.from('{"a":"\\udfff"}')),
  );
  expect(digestObserved({ b: 1, a: 2 }, () => Buffer.from("x"))).toBe(
    digestObserved({ a: 2, b: 1 }, () => Buffer.from("y")),
  );
  expect(digestObserved({ a: 2 }, () => Buffer.from('{"a":2}'))).not.toBe(canonicalSha256({ a: 2 }));
});

test("PI-7 the vectors hold", () => {
  for (const [text, sha256] of [
    ['{"b":1,"10":2,"9":3,"01":4}', "53a1c7235176e09095fa2d4b868e7ba793fbb308408aef24e6c8560e63b247f5"],
    ['{"\uff5e":1,"\u{1f600}":2,"a":3}', "16580ab8f40757326c0e99a20183717061f50649ebe20668f2cc441ad48bf2e4"],
    ['{"__proto__":{"x":1},"constructor":2,"a":3}', "1bb2dcbec7110b1507b70e22055aafae621b293d93d4edbf52552248ddd98251"],
    ['{"nfc":"\u00e9","nfd":"e\u0301"}', "79eae438d105e852f86ea598ffdda91643386fad0b4f336b941528d30fbf1558"],
    ['{"a":null,"b":[true,false,null],"c":""}', "f20d438ce67e93dd33f8cfc24d6077d3f08c0d3a3f47ae31ab0d11b3bacf6705"],
    ['{"maximum":9223372036854775807}', "2241ba6afc5fa4163e9f0b2e1c3aaba2cda97119eb82d6dfe55e9202b97e05e6"],
  ] as const) {
    expect(canonicalSha256(parseJsonText(Buffer.from(text)))).toBe(sha256);
  }
});

const numRuns = Number(process.env.HOLDFAST_TEST_RUNS ?? 2000);

test("PI-7 text and hash equal those of npm's canonicalize wherever both are defined", () => {
  // Below U+E000 the UTF-16 order of RFC 8785 and the code point order are one.
  const string = fc.string({
    unit: fc.constantFrom("a", "Z", "é", "\ud7ff", "\n", '"', "\\", "\u2028", "1", "0", "_"),
  });
  const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true })).filter((n) => {
    return !Object.is(n, -0) && (!Number.isInteger(n) || Number.isSafeInteger(n));
  });
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 5 },
      string,
      number,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 6 }),
      fc.dictionary(fc.oneof(string, fc.constantFrom("__proto__", "10", "9", "toJSON")), tie("any"), {
        maxKeys: 8,
        noNullPrototype: true,
      }),
    ),
  })).any;
  fc.assert(
    fc.property(value, (any) => {
      const text = canonicalJson(any);
      check(any, canonicalize(any)!);
      expect(canonicalJson(parseJsonText(Buffer.from(text)))).toBe(text);
    }),
    { numRuns },
  );
});

test("a long document is hashed in pieces to the hash of the whole", () => {
  const long = Array.from({ length: 3000 }, (_, i) => ({
    id: i,
    text: "ä\u{1f600}".repeat(i % 50),
    scopes: new Set([i, -i - 1]),
  }));
  check(long, canonicalJson(long));
  expect(Buffer.from(canonicalBytes(long)).toString("utf8")).toBe(canonicalJson(long));
});
