import { describe, expect, test } from "vitest";
import type { DiffRecord } from "../../src/report/diff/diff-record.ts";
import { APIS, type Api } from "../../src/wire/api.ts";
import { diffBodies } from "./diff-body.ts";
import { NEXT_TURN, SAMPLE_ENCODINGS, SAMPLE_SESSION, type SampleSession, type SampleTool } from "./sample-session.ts";

type Expected = Partial<Pick<DiffRecord, "cause" | "path" | "unit" | "prefix_kept" | "volatile">>;

/** Given a session, when `change` and a new turn happen to it, then the comparison names the change. */
function check(api: Api, change: (session: SampleSession) => SampleSession, expected: Expected): void {
  const { encode } = SAMPLE_ENCODINGS[api];
  const changed = change(SAMPLE_SESSION);
  const record = diffBodies(encode(SAMPLE_SESSION), encode({ ...changed, rows: [...changed.rows, ...NEXT_TURN] }), {
    api,
  });
  expect(record).toMatchObject(expected);
}

function withTools(change: (tools: readonly SampleTool[]) => readonly SampleTool[]) {
  return (session: SampleSession): SampleSession => ({ ...session, tools: change(session.tools) });
}

function withRows(change: (rows: SampleSession["rows"]) => SampleSession["rows"]) {
  return (session: SampleSession): SampleSession => ({ ...session, rows: change(session.rows) });
}

function withSystem(find: string, replacement: string) {
  return (session: SampleSession): SampleSession => ({ ...session, system: session.system.replace(find, replacement) });
}

describe.each(APIS)("%s", (api) => {
  const at = SAMPLE_ENCODINGS[api];
  const broken = { prefix_kept: false };

  test("DF-1 a new turn behind an unchanged prefix is an append", () => {
    const path = at.rowUnit(10);
    check(api, (session) => session, { cause: "append", path, unit: path, prefix_kept: true });
  });

  test("DF-2 tools are aligned by name: order, addition, removal and change are told apart", () => {
    const extra: SampleTool = { name: "lamp", description: "Switch a lamp.", schema: { type: "object" } };
    const third = { path: at.toolUnit(2) + at.toolName, unit: at.toolUnit(2), ...broken };
    check(
      api,
      withTools((tools) => [...tools.slice(0, 2), ...tools.slice(3), tools[2]!]),
      { cause: "tool_order", ...third },
    );
    check(
      api,
      withTools((tools) => tools.toSpliced(2, 0, extra)),
      { cause: "tool_added", ...third },
    );
    check(
      api,
      withTools((tools) => tools.toSpliced(2, 1)),
      { cause: "tool_removed", ...third },
    );
    const end = { path: at.toolUnit(5), unit: at.toolUnit(5), ...broken };
    check(
      api,
      withTools((tools) => tools.slice(0, 5)),
      { cause: "tool_removed", ...end },
    );
    const behind = { path: at.toolUnit(6), unit: at.toolUnit(6), ...broken };
    check(
      api,
      withTools((tools) => [...tools, extra]),
      { cause: "tool_added", ...behind },
    );
    const described = withTools((tools) => tools.with(3, { ...tools[3]!, description: "Another one." }));
    check(api, described, {
      cause: "tool_schema",
      path: at.toolUnit(3) + at.toolDescription,
      unit: at.toolUnit(3),
      ...broken,
    });
    const dated = withTools((tools) => tools.with(3, { ...tools[3]!, description: "The tool number 4 of the shelf." }));
    check(api, dated, { cause: "tool_schema", volatile: "counter" });
  });

  test("DF-3 the order of members counts inside schemas", () => {
    const reordered = withTools((tools) => {
      const { type, properties, required } = tools[3]!.schema;
      return tools.with(3, { ...tools[3]!, schema: { required, type, properties } });
    });
    const path = at.toolUnit(3) + at.toolSchema;
    check(api, reordered, { cause: "schema_key_order", path, unit: at.toolUnit(3), ...broken });
  });

  test("DF-3 a schema member that is named like a marker is schema", () => {
    const renamed = withTools((tools) => {
      const schema = { ...tools[3]!.schema, properties: { path: { type: "string" } } };
      return tools.with(3, { ...tools[3]!, schema });
    });
    const path = `${at.toolUnit(3)}${at.toolSchema}/properties/cache_control`;
    check(api, renamed, { cause: "tool_schema", path, ...broken });
  });

  test("DF-4 a clock in the system text is told from other words", () => {
    check(api, withSystem("09:26", "09:27"), { cause: "clock", path: at.systemText, volatile: "clock", ...broken });
    check(api, withSystem("attic", "cellar"), { cause: "system_text", path: at.systemText, volatile: null, ...broken });
  });

  test("DF-5 rows of the history that were rewritten, dropped or inserted are told apart", () => {
    const elided = withRows((rows) =>
      rows.with(3, { ...rows[3]!, text: "jar.txt 12 bytes [cut]" } as (typeof rows)[number]),
    );
    check(api, elided, {
      cause: "history_rewritten",
      path: at.rowUnit(3) + at.resultText,
      unit: at.rowUnit(3),
      ...broken,
    });
    check(
      api,
      withRows((rows) => rows.toSpliced(1, 4)),
      { cause: "history_dropped", unit: at.rowUnit(1), ...broken },
    );
    const placeholder = { kind: "user", text: "(earlier turns are left out)" } as const;
    const cut = withRows((rows) => rows.toSpliced(0, 5, placeholder));
    check(api, cut, { cause: "history_dropped", path: at.rowUnit(0) + at.userText, ...broken });
    const recap = { kind: "user", text: "Recap: two lists were read so far." } as const;
    const inserted = withRows((rows) => rows.toSpliced(5, 0, recap));
    check(api, inserted, {
      cause: "history_inserted",
      path: at.rowUnit(5) + at.userText,
      unit: at.rowUnit(5),
      ...broken,
    });
    const swapped = withRows((rows) => [...rows.slice(0, 4), rows[5]!, rows[4]!, ...rows.slice(6)]);
    check(api, swapped, { cause: "history_rewritten", unit: at.rowUnit(4), ...broken });
    const edited = withRows((rows) => rows.with(9, { kind: "user", text: "Thank you, and the labels?" }));
    check(api, edited, {
      cause: "history_rewritten",
      path: at.rowUnit(9) + at.userText,
      unit: at.rowUnit(9),
      ...broken,
    });
  });

  test("DF-5 a history that ends earlier is dropped at the place where it stood", () => {
    const { encode } = at;
    const shorter = { ...SAMPLE_SESSION, rows: SAMPLE_SESSION.rows.slice(0, 8) };
    const record = diffBodies(encode(SAMPLE_SESSION), encode(shorter), { api });
    const path = at.rowUnit(8);
    expect(record).toMatchObject({
      cause: "history_dropped",
      path,
      unit: path,
      before: expect.any(String),
      after: null,
    });
  });

  test("DF-6 a setting costs the cache only where the provider reads it into the prompt or the key", () => {
    const { encode, spoiling, harmless } = at;
    const after = encode({ ...SAMPLE_SESSION, rows: [...SAMPLE_SESSION.rows, ...NEXT_TURN] });
    const spoiled = diffBodies(encode(SAMPLE_SESSION), { ...after, ...spoiling[1] }, { api });
    expect(spoiled).toMatchObject({ cause: "settings", path: spoiling[0], prefix_kept: false });
    const steered = diffBodies(encode(SAMPLE_SESSION), { ...encode(SAMPLE_SESSION), ...harmless[1] }, { api });
    expect(steered).toMatchObject({ cause: "settings", path: harmless[0], prefix_kept: true, lost: { bytes: 0 } });
    const grown = diffBodies(encode(SAMPLE_SESSION), { ...after, ...harmless[1] }, { api });
    expect(grown).toMatchObject({
      cause: "append",
      prefix_kept: true,
      also: [{ cause: "settings", path: harmless[0] }],
    });
  });

  test("DF-7 another model outweighs every other change", () => {
    const after = at.encode({ ...SAMPLE_SESSION, model: "sample-2", system: "New words.", tools: [] });
    const record = diffBodies(at.encode(SAMPLE_SESSION), after, { api, model: "a" }, { api, model: "b" });
    expect(record).toMatchObject({
      cause: "model",
      path: "/model",
      unit: "/model",
      prefix_kept: false,
      kept: { bytes: 0 },
    });
    expect(record.also.map(({ cause }) => cause)).toEqual(["tool_removed", "system_text"]);
  });

  test("DF-8 equal bytes are identical, equal values in other bytes are spelling", () => {
    const text = JSON.stringify(at.encode(SAMPLE_SESSION));
    expect(diffBodies(text, text, { api })).toMatchObject({
      cause: "identical",
      identical: true,
      path: "",
      byte: null,
    });
    const spelled = diffBodies(text, text.replace("Read the jar", "Read the \\u006aar"), { api });
    const path = at.rowUnit(5) + at.userText;
    expect(spelled).toMatchObject({
      cause: "spelling_only",
      path,
      unit: at.rowUnit(5),
      prefix_kept: true,
      identical: false,
    });
    const spaced = JSON.stringify(JSON.parse(text), null, 2);
    expect(diffBodies(text, spaced, { api })).toMatchObject({ cause: "spelling_only", path: "", prefix_kept: true });
  });

  test("DF-9 the byte is where the place stands in the later body", () => {
    const changed = at.encode({ ...SAMPLE_SESSION, system: SAMPLE_SESSION.system.replace("attic", "cellar") });
    const text = JSON.stringify(changed);
    const record = diffBodies(at.encode(SAMPLE_SESSION), text, { api });
    expect(text.slice(record.byte!)).toMatch(/^"You keep/);
    expect(text.slice(record.changed_byte!)).toMatch(/^cellar/);
    expect(record.kept.bytes + record.lost.bytes).toBe(
      diffBodies(at.encode(SAMPLE_SESSION), at.encode(SAMPLE_SESSION), { api }).kept.bytes,
    );
  });
});
