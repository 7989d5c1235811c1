import fc from "fast-check";
import { expect, test } from "vitest";
import { layoutOf } from "./json-layout.ts";

/** Strings on both sides of the length from which the next quote is looked for, full of what could be taken for one. */
const text = fc.array(fc.constantFrom('"', "\\", "a", "]", "}", ",", "\n", "é", "x".repeat(47)), { maxLength: 12 });
const value = fc.oneof(
  text.map((parts) => parts.join("")),
  fc.integer(),
  fc.record({ text: text.map((parts) => parts.join("")), list: fc.array(fc.boolean(), { maxLength: 2 }) }),
);

test("DG-1 every element and member is found where JSON.parse finds it, whatever its strings hold", () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), value, fc.constantFrom(0, 1), (messages, other, indent) => {
      const bytes = Buffer.from(JSON.stringify({ other, messages, last: other }, null, indent));
      const { members, elements } = layoutOf(bytes, "messages");
      const parse = (start: number, end: number) => JSON.parse(bytes.toString("utf8", start, end));
      expect(elements.map(({ start, end }) => parse(start, end))).toEqual(messages);
      expect(members.map(({ name, valueStart, valueEnd }) => [name, parse(valueStart, valueEnd)])).toEqual([
        ["other", other],
        ["messages", messages],
        ["last", other],
      ]);
    }),
    { numRuns: 500 },
  );
});
