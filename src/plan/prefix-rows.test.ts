import { expect, test } from "vitest";
import { identify } from "./identity.ts";
import { buildPrefixRows, memoryRow, type PrefixTexts, skillRow } from "./prefix-rows.ts";
import { REGION, type RowKind } from "./prompt-row.ts";
import type { ToolSpec } from "./tool-spec.ts";

const noScopes: ReadonlySet<string> = new Set();
const nothing: PrefixTexts = {
  framing: "",
  instructions: "",
  persona: "",
  deferredTools: [],
  skillCatalogue: null,
  memory: null,
};

function kinds(texts: Partial<PrefixTexts>): readonly RowKind[] {
  return buildPrefixRows({ ...nothing, ...texts }).map((row) => row.kind);
}

const deferredTools: readonly ToolSpec[] = [{ name: "b", version: "1", required_scopes: noScopes }];
const everything: PrefixTexts = {
  framing: "f",
  instructions: "i",
  persona: "p",
  deferredTools,
  skillCatalogue: skillRow([{ name: "s", description: "d" }]),
  memory: memoryRow("0".repeat(64)),
};

test("PI-11 the prefix has one order, and an empty class adds nothing", () => {
  expect(kinds(everything)).toEqual(["system", "instructions", "persona", "tool_index", "skill_catalogue", "memory"]);
  expect(kinds({})).toEqual([]);
  expect(kinds({ persona: "p" })).toEqual(["persona"]);
  expect(kinds({ ...everything, persona: "", memory: null })).toEqual([
    "system",
    "instructions",
    "tool_index",
    "skill_catalogue",
  ]);
});

test("PI-11 an empty list of deferred tools has the hash of an absent one", () => {
  const conversation = buildPrefixRows(nothing);
  expect(identify({ conversation, tools: [], deferred_tools: [] })).toEqual(identify({ conversation, tools: [] }));
});

test("PI-10 what can differ between two requests has no place in the prefix", () => {
  const body = Object.entries(REGION)
    .filter(([, region]) => region === "body")
    .map(([kind]) => kind);
  expect(body).toEqual(["user", "assistant", "tool_result", "clock", "reminder", "budget"]);
});

test("PI-14 index and catalogue have an order of their own", () => {
  const schema = { required: ["z", "a"], properties: { "10": {}, "9": {}, b: {}, z: {}, a: {} } };
  const tool = {
    name: "t",
    version: "1",
    description: "Does it.\nAnd more.",
    input_schema: schema,
    required_scopes: noScopes,
  };
  const [row] = buildPrefixRows({ ...nothing, deferredTools: [tool] });
  expect(row?.content).toEqual([{ kind: "text", text: "- t(z, a, 10?, 9?, b?): Does it." }]);
  const skills = [
    { name: "b", description: "2" },
    { name: "a", description: "1" },
  ];
  expect(skillRow(skills)).toEqual(skillRow([...skills].reverse()));
});
