import fc from "fast-check";
import { expect, test } from "vitest";
import { selectTools, type ToolCandidate, type ToolCaps } from "./select-tools.ts";

const all = new Set(["read", "write"]);

function candidate(source: ToolCandidate["source"], name: string, more: object = {}, score = 0): ToolCandidate {
  return { source, score, spec: { name, version: "1", ...more } };
}

/** Given candidates in every order, when tools are selected, then these are defined, deferred and skipped. */
function check(
  candidates: readonly ToolCandidate[],
  caps: Partial<ToolCaps>,
  expected: readonly [string[], string[], string[]],
  scopes = all,
) {
  fc.assert(
    fc.property(fc.shuffledSubarray([...candidates], { minLength: candidates.length }), (shuffled) => {
      const { defined, deferred, skipped } = selectTools(shuffled, scopes, caps);
      expect([defined.map((tool) => tool.name), deferred.map((tool) => tool.name), skipped]).toEqual(expected);
    }),
    { numRuns: 50 },
  );
}

function checkRefused(
  candidates: readonly ToolCandidate[],
  code: string,
  message: RegExp,
  caps: Partial<ToolCaps> = {},
) {
  expect(() => selectTools(candidates, all, caps)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  );
}

test("PI-14 the choice does not depend on the order of the registry", () => {
  const candidates = [
    candidate("configured", "zeta"),
    candidate("required", "omega"),
    candidate("configured", "alpha", {}, 1),
    candidate("configured", "\u0062eta"),
    candidate("discovered", "found", {}, 9),
    candidate("discovered", "found_more"),
  ];
  check(candidates, {}, [["alpha", "beta", "omega", "zeta"], ["found", "found_more"], []]);
  check(candidates, { definedMax: 2 }, [["alpha", "omega"], ["beta", "zeta", "found", "found_more"], []]);
  check(candidates, { definedMax: 2, deferredMax: 1 }, [["alpha", "omega"], ["beta"], ["zeta", "found", "found_more"]]);
});

test("RA-3 tools are filtered by the run's scopes only, without a trace of the others", () => {
  const candidates = [
    candidate("required", "writer", { required_scopes: ["write", "read"] }),
    candidate("configured", "reader", { required_scopes: ["read"] }),
  ];
  check(candidates, {}, [["reader", "writer"], [], []]);
  check(candidates, {}, [["reader"], [], []], new Set(["read"]));
  check(candidates, {}, [[], [], []], new Set());
});

test("PI-12 caps are counted in tools and bytes, and required tools must fit", () => {
  const big = candidate("configured", "big", { description: "x".repeat(1000) });
  check([big, candidate("configured", "small")], { definedBytesMax: 500 }, [["small"], ["big"], []]);
  checkRefused([candidate("required", "a"), candidate("required", "b")], "tool_caps_exceeded", /the required tool b/, {
    definedMax: 1,
  });
});

test("PI-2 specifications from outside are checked, and the error names tool and place", () => {
  const refused = (spec: unknown, message: RegExp) =>
    checkRefused([{ source: "configured", spec }], "tool_refused", message);
  refused(null, /a tool: it is not an object/);
  refused({ name: "Ä", version: "1" }, /\/name is not 1 to 64/);
  refused({ name: "a".repeat(65), version: "1" }, /\/name/);
  refused({ name: "a" }, /the tool a: \/version/);
  refused({ name: "a", version: "1", description: 1 }, /the tool a: \/description is not a text/);
  refused({ name: "a", version: "1", input_schema: [] }, /the tool a: \/input_schema is not an object/);
  refused({ name: "a", version: "1", required_scopes: "read" }, /the tool a: \/required_scopes/);
  refused({ name: "a", version: "1", required_scopes: ["x", "x"] }, /the tool a: .*scope x is listed twice/);
  refused({ name: "a", version: "1", input_schema: { "\ud800": 1 } }, /the tool a: .*lone surrogate/);
  refused(
    { name: "a", version: "1", input_schema: { big: "x".repeat(70_000) } },
    /the tool a: it has \d+ bytes \(limit 65536\)/,
  );
  refused(
    { name: "a", version: "1", input_schema: JSON.parse(`${'{"a":'.repeat(70)}1${"}".repeat(70)}`) },
    /nested deeper than 64/,
  );
});

test("PI-6 only required_scopes may be a set", () => {
  const refused = (spec: object) =>
    checkRefused([{ source: "configured", spec }], "tool_refused", /\/input_schema\/enum is a Set or Map/);
  refused({ name: "a", version: "1", input_schema: { enum: new Set(["x"]) } });
  refused({ name: "a", version: "1", input_schema: { enum: new Map() } });
});

test("PI-16 two tools that the provider could not tell apart are refused", () => {
  checkRefused(
    [candidate("required", "mail.flag"), candidate("discovered", "mail_flag")],
    "tool_name_collision",
    /mail\.flag and mail_flag/,
  );
  checkRefused(
    [candidate("required", "mail"), candidate("discovered", "mail")],
    "tool_name_collision",
    /mail and mail/,
  );
});
