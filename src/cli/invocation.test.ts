import { expect, test } from "vitest";
import type { Command } from "./command.ts";
import { EXIT } from "./exit.ts";
import { parseInvocation } from "./invocation.ts";
import { findNearestName } from "./nearest-name.ts";

const command: Command = {
  name: "weigh",
  operands: "INPUT…",
  about: "Weighs.",
  flags: [
    { name: "unit", value: "UNIT", choices: ["gram", "pound"], about: "the unit" },
    { name: "output", short: "o", value: "PATH", about: "where to" },
    { name: "tag", value: "NAME", repeats: true, about: "a tag" },
    { name: "json", about: "JSON" },
  ],
  run: async () => EXIT.fine,
};

function check(
  words: readonly string[],
  expected: { operands: readonly string[]; json: boolean; output?: string; tags?: string[] },
) {
  const invocation = parseInvocation(command, words);
  expect(invocation.operands).toEqual(expected.operands);
  expect(invocation.isOn("json")).toBe(expected.json);
  expect(invocation.value("output")).toBe(expected.output);
  expect(invocation.values("tag")).toEqual(expected.tags ?? []);
}

test("flags and operands are told apart", () => {
  check(["a", "--json", "b"], { operands: ["a", "b"], json: true });
  check(["-o", "-", "a"], { operands: ["a"], json: false, output: "-" });
  check(["--output=x", "-"], { operands: ["-"], json: false, output: "x" });
  check(["--tag", "one", "--tag=two"], { operands: [], json: false, tags: ["one", "two"] });
  check(["--", "--json"], { operands: ["--json"], json: false });
});

test("CL-1 a wrong word is named with what was most likely meant", () => {
  for (const [words, message] of [
    [["--jsn"], "unknown flag --jsn, did you mean --json?"],
    [["--entirely-else"], "unknown flag --entirely-else; "],
    [["-x"], "unknown flag -x"],
    [["--output"], "--output needs a value: --output PATH"],
    [["-o", "--json"], "-o needs a value: -o PATH"],
    [["--json=yes"], '--json takes no value, but "yes" is given'],
    [["--unit", "gramm"], '--unit "gramm" is unknown, did you mean gram?'],
    [["-o", "a", "-o", "b"], "--output stands 2 times"],
  ] as const) {
    expect(() => parseInvocation(command, words), words.join(" ")).toThrow(message);
  }
});

test("the nearest name is close, or there is none", () => {
  for (const [typed, nearest] of [
    ["chekc", "check"],
    ["dif", "diff"],
    ["xyzzy", null],
    ["", null],
  ] as const) {
    expect(findNearestName(typed, ["check", "diff", "doctor"]), typed).toBe(nearest);
  }
  expect(findNearestName("cc", ["pi", "omp"])).toBe(null);
  expect(findNearestName("pl", ["pi", "omp"])).toBe("pi");
});
