import { expect, test } from "vitest";
import type { Finding } from "./finding.ts";
import { toSarif } from "./sarif.ts";

const tool = { version: "1.2.3", root: "/repo" };
const finding: Finding = {
  id: "prefix/clock",
  level: "error",
  message: "a date moved",
  file: "/repo/corpus/day one/a#1.json",
  line: 7,
  path: "/system/0/text",
  helpUri: "https://docs.example/caching",
};

test("CL-2 SARIF names each rule once and every result points at it", () => {
  const { version, runs } = toSarif(
    [finding, { ...finding, file: "b.jsonl" }, { ...finding, id: "X-1", level: "note" }],
    tool,
  );
  expect(version).toBe("2.1.0");
  const [run] = runs;
  expect(run!.tool.driver).toMatchObject({ name: "holdfast", version: "1.2.3" });
  expect(run!.tool.driver.rules.map(({ id }) => id)).toEqual(["prefix/clock", "X-1"]);
  expect(run!.tool.driver.rules[0]).toMatchObject({
    helpUri: "https://docs.example/caching",
    shortDescription: { text: "prefix/clock" },
  });
  for (const result of run!.results) expect(run!.tool.driver.rules[result.ruleIndex]!.id).toBe(result.ruleId);
});

test("CL-2 SARIF places are relative, escaped URIs with a region", () => {
  const place = (file: string, line?: number) => {
    const { line: _, ...rest } = finding;
    const { runs } = toSarif([{ ...rest, file, ...(line !== undefined && { line }) }], tool);
    const { artifactLocation, region } = runs[0]!.results[0]!.locations[0]!.physicalLocation;
    return [artifactLocation.uri, region.startLine];
  };
  expect(place("/repo/corpus/day one/a#1.json", 7)).toEqual(["corpus/day%20one/a%231.json", 7]);
  expect(place("corpus/é.json")).toEqual(["corpus/%C3%A9.json", 1]);
  expect(place("/elsewhere/a.json")).toEqual(["file:///elsewhere/a.json", 1]);
  expect(place("-")).toEqual(["stdin", 1]);
});

test("CL-2 SARIF gives a finding the same fingerprint when its line or words move", () => {
  const print = (more: Partial<Finding>) =>
    toSarif([{ ...finding, ...more }], tool).runs[0]!.results[0]!.partialFingerprints;
  expect(print({ line: 99, message: "other words" })).toEqual(print({}));
  expect(print({ path: "/system/1/text" })).not.toEqual(print({}));
});

test("CL-2 SARIF of no findings is a run with no results", () => {
  const [run] = toSarif([], tool).runs;
  expect(run).toMatchObject({ results: [], tool: { driver: { rules: [] } } });
});
