import { expect, test } from "vitest";
import { reasons } from "./matrix/known-facts.ts";
import { renderMatrix } from "./matrix/render-matrix.ts";
import type { ProofResult } from "./matrix/results.ts";
import { hosts, type Stage, stages } from "./matrix/stages.ts";

/** A result for every cell that has no reason. */
const complete: ProofResult[] = (Object.keys(stages) as Stage[]).flatMap((stage) =>
  hosts
    .filter((host) => !reasons.some((reason) => reason.stage === stage && reason.hosts.includes(host)))
    .map((host) => ({ host, stage, passed: true, suite: "a" })),
);
const [first, ...others] = complete as [ProofResult, ...ProofResult[]];
const [reason] = reasons;

test("a cell of the host matrix is a test that passed, or a reason, and never both or neither", () => {
  expect(renderMatrix(complete).problems).toEqual([]);
  expect(renderMatrix(others).problems).toEqual([`${first.host}, ${first.stage}: no test and no reason.`]);
  const failed = { ...first, passed: false };
  expect(renderMatrix([failed, ...complete]).problems).toHaveLength(1);
  const both = { host: reason!.hosts[0]!, stage: reason!.stage, passed: true, suite: "a" };
  expect(renderMatrix([...complete, both]).problems).toHaveLength(1);
  const apis = renderMatrix([{ ...first, api: "openai-responses" }, ...others]).text;
  expect(apis).toContain("yes: Responses");
});
