import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, Row } from "../wire/request.ts";
import { readRows } from "../wire/row-memo.ts";
import { type IdMark, idTally } from "./id-tally.ts";

const PARTS = ["call", "result"] as const;
const hasOddIds = idTally(
  PARTS,
  ({ value }) => [value as unknown as IdMark<"call" | "result">],
  ({ call, result }) => call !== result,
);

const mark = fc.record({ id: fc.constantFrom("a", "b"), part: fc.constantFrom(...PARTS) });
const steps = fc.array(fc.record({ kept: fc.nat(4), back: fc.nat(1), added: fc.array(mark, { maxLength: 3 }) }), {
  maxLength: 8,
});

test("DG-1 ids are counted with the rows that come and go, also where two histories grow out of one", () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const seen: { marks: readonly JsonObject[]; rows: readonly Row[] }[] = [];
      for (const { kept, back, added } of changes) {
        const before = seen.at(-1 - back);
        const marks = [...(before?.marks ?? []).slice(0, kept), ...added];
        const rows = readRows(marks, before?.rows, toRow);
        expect(hasOddIds(rows)).toBe(isOdd(marks));
        // Asked again, also when its counts have been handed on.
        for (const one of seen) expect(hasOddIds(one.rows)).toBe(isOdd(one.marks));
        seen.push({ marks, rows });
      }
    }),
    { numRuns: 1_000 },
  );
});

function isOdd(marks: readonly JsonObject[]): boolean {
  const count = (id: string, part: string) => marks.filter((one) => one.id === id && one.part === part).length;
  return ["a", "b"].some((id) => count(id, "call") !== count(id, "result"));
}

function toRow(value: unknown, index: number): Row {
  const path = `/messages/${index}`;
  return { index, path, role: "user", value: value as JsonObject, form: "absent", contentPath: path, blocks: [] };
}
