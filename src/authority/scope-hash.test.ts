import { expect, test } from "vitest";
import { sha256Hex } from "../lib/sha256.ts";
import { ScopeSet } from "./scope.ts";
import { compareAuthority, hashScopes, PLAIN_SCOPE_HASHES, type ScopeHashes, type ScopeKeys } from "./scope-hash.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);
const keyed: ScopeKeys = {
  currentId: "k2",
  keys: new Map([
    ["k1", key(1)],
    ["k2", key(2)],
  ]),
};
const rotated: ScopeKeys = {
  currentId: "k3",
  keys: new Map([
    ["k2", key(2)],
    ["k3", key(3)],
  ]),
};

const hash = (scopes: string[], keys: ScopeKeys = PLAIN_SCOPE_HASHES) => hashScopes(new Set(scopes), keys);

function check(
  stored: ScopeHashes,
  run: string[],
  keys: ScopeKeys,
  expected: readonly [newScopes: string[], lostScopes: number] | "unknown",
) {
  const authority = compareAuthority(stored, new Set(run), keys);
  expect(authority.kind === "unknown" ? "unknown" : [authority.newScopes, authority.lostScopes]).toEqual(expected);
}

test("RA-1 selection scopes are sorted hashes that carry their algorithm", () => {
  expect(hash(["b", "a"])).toEqual(hash(["a", "b"]));
  expect(hash(["a"])).toEqual([`sha256:${sha256Hex("a")}`]);
  expect(hash(["a"], keyed)[0]).toMatch(/^hmac-sha256:k2:[0-9a-f]{64}$/);
  expect(hash([])).toEqual([]);
});

test("RA-1 hashes are compared in the algorithm that they were stored with", () => {
  check(hash(["a", "b"]), ["b"], keyed, [[], 1]);
  check(hash(["a", "b"], keyed), ["b", "c", "a"], rotated, [["c"], 0]);
  check([...hash(["a"]), ...hash(["b"], keyed)], ["a", "b"], keyed, [[], 0]);
  // ADR-0094 wrote bare digits.
  check([sha256Hex("a")], ["a"], PLAIN_SCOPE_HASHES, [[], 0]);
  check([], ["a"], keyed, [["a"], 0]);
  check([], [], keyed, [[], 0]);
});

test("RA-1 no hashes, a lost key or an unknown algorithm are unknown authority, not none", () => {
  check(null, [], PLAIN_SCOPE_HASHES, "unknown");
  check(hash(["a"], { currentId: "k1", keys: keyed.keys }), ["a"], rotated, "unknown");
  check([`sha3:${"0".repeat(64)}`], ["a"], keyed, "unknown");
});

test("RA-1 a stamped set of scopes cannot be changed, and lists each scope once", () => {
  const scopes = new ScopeSet(["b", "a"]);
  expect([...scopes]).toEqual(["a", "b"]);
  expect(() => (scopes as Set<string>).add("c")).toThrow(TypeError);
  expect(() => (scopes as Set<string>).clear()).toThrow(TypeError);
  expect(() => new ScopeSet(["a", "a"])).toThrow(expect.objectContaining({ code: "scope_duplicate" }));
});
