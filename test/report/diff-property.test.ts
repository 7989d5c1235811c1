import fc from "fast-check";
import { expect, test } from "vitest";
import { APIS } from "../../src/wire/api.ts";
import { diffBodies } from "./diff-body.ts";
import { SAMPLE_ENCODINGS, type SampleRow, type SampleSession, type SampleTool } from "./sample-session.ts";

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => list.join(" "));
const data = fc.dictionary(word, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), { maxKeys: 4 });

const tools: fc.Arbitrary<SampleTool[]> = fc.uniqueArray(fc.record({ name: word, description: words, schema: data }), {
  selector: ({ name }) => name,
  minLength: 2,
  maxLength: 8,
});

const rows: fc.Arbitrary<SampleRow[]> = fc
  .array(
    fc.oneof(
      words.map((text): SampleRow[] => [{ kind: "user", text }]),
      words.map((text): SampleRow[] => [{ kind: "assistant", text }]),
      fc
        .record({ id: fc.uuid(), name: word, input: data, text: fc.string() })
        .map(({ id, name, input, text }): SampleRow[] => [
          { kind: "call", id, name, input },
          { kind: "result", id, name, text },
        ]),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((turns) => turns.flat());

const session: fc.Arbitrary<SampleSession> = fc.record({ model: fc.constant("m"), system: words, tools, rows });
const api = fc.constantFrom(...APIS);
const runs = { numRuns: 200 };

test("DF-1 whatever is said next, an append is no break", () => {
  fc.assert(
    fc.property(api, session, rows, (one, before, next) => {
      const { encode, rowUnit } = SAMPLE_ENCODINGS[one];
      const record = diffBodies(encode(before), encode({ ...before, rows: [...before.rows, ...next] }), { api: one });
      expect(record).toMatchObject({
        cause: "append",
        path: rowUnit(before.rows.length),
        prefix_kept: true,
        lost: { bytes: 0 },
      });
    }),
    runs,
  );
});

test("DF-2 tools in any other order are tool_order at the first that moved", () => {
  fc.assert(
    fc.property(api, session, fc.infiniteStream(fc.nat()), rows, (one, before, picks, next) => {
      const shuffled = shuffle(before.tools, picks);
      const first = shuffled.findIndex((tool, index) => tool !== before.tools[index]);
      fc.pre(first !== -1);
      const { encode, toolUnit, toolName } = SAMPLE_ENCODINGS[one];
      const after = encode({ ...before, tools: shuffled, rows: [...before.rows, ...next] });
      const record = diffBodies(encode(before), after, { api: one });
      expect(record).toMatchObject({
        cause: "tool_order",
        path: toolUnit(first) + toolName,
        also: [],
        prefix_kept: false,
      });
    }),
    runs,
  );
});

test("DF-5 one changed row is found at its path, whatever follows", () => {
  fc.assert(
    fc.property(api, session, fc.nat(), rows, (one, before, pick, next) => {
      const index = pick % before.rows.length;
      const row = before.rows[index]!;
      fc.pre(row.kind === "user" || row.kind === "result");
      const changed = { ...row, text: `${row.text} (elided)` } as SampleRow;
      const { encode, rowUnit, userText, resultText } = SAMPLE_ENCODINGS[one];
      const after = encode({ ...before, rows: [...before.rows.with(index, changed), ...next] });
      const record = diffBodies(encode(before), after, { api: one });
      const path = rowUnit(index) + (row.kind === "user" ? userText : resultText);
      expect(record).toMatchObject({ path, unit: rowUnit(index), prefix_kept: false });
      expect(valueStartsAt(JSON.stringify(after), record.byte!)).toBe(true);
    }),
    runs,
  );
});

test("DF-5 a row that was put in, or rows that were taken out, in front of rows that stay", () => {
  fc.assert(
    fc.property(api, session, fc.nat(), fc.integer({ min: 1, max: 4 }), rows, (one, before, pick, count, next) => {
      const { encode, rowUnit } = SAMPLE_ENCODINGS[one];
      const diffRows = (changed: readonly SampleRow[]) =>
        diffBodies(encode(before), encode({ ...before, rows: [...changed, ...next] }), { api: one });
      const index = pick % before.rows.length;
      const note = { kind: "user", text: "A recap of what was said so far." } as const;
      const inserted = diffRows(before.rows.toSpliced(index, 0, note));
      expect(inserted).toMatchObject({ cause: "history_inserted", unit: rowUnit(index) });
      const last = { kind: "user", text: "This row stays where it is." } as const;
      const whole = { ...before, rows: [...before.rows, last] };
      const left = whole.rows.toSpliced(index, Math.min(count, before.rows.length - index));
      const dropped = diffBodies(encode(whole), encode({ ...whole, rows: [...left, ...next] }), { api: one });
      expect(dropped).toMatchObject({ cause: "history_dropped", prefix_kept: false });
    }),
    runs,
  );
});

test("DF-8 a body in other white space costs nothing and names no place", () => {
  fc.assert(
    fc.property(api, session, fc.integer({ min: 1, max: 4 }), (one, before, indent) => {
      const body = SAMPLE_ENCODINGS[one].encode(before);
      const record = diffBodies(body, JSON.stringify(body, null, indent), { api: one });
      expect(record).toMatchObject({ cause: "spelling_only", path: "", prefix_kept: true, lost: { bytes: 0 } });
    }),
    runs,
  );
});

test("DF-18 any two JSON objects have an answer", () => {
  const body = fc.dictionary(
    fc.constantFrom("messages", "system", "tools", "input", "contents", "model", "thread", "toolConfig"),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(api, body, body, (one, before, after) => {
      const record = diffBodies(before, after, { api: one });
      expect(record.identical).toBe(JSON.stringify(before) === JSON.stringify(after));
      expect(record.kept.bytes).toBeGreaterThanOrEqual(0);
      expect(record.lost.bytes).toBeGreaterThanOrEqual(0);
      expect(record.byte ?? 0).toBeLessThanOrEqual(JSON.stringify(after).length * 4);
    }),
    { numRuns: 2_000 },
  );
});

function shuffle<T>(list: readonly T[], picks: Iterator<number>): T[] {
  const left = [...list];
  return list.map(() => left.splice(picks.next().value % left.length, 1)[0]!);
}

/** Whether a value of a compact text begins at the byte. */
function valueStartsAt(text: string, byte: number): boolean {
  return /[[:,]/.test(Buffer.from(text).toString("utf8", byte - 1, byte));
}
