import fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../wire/request.ts";
import { readRequest } from "./document.ts";
import { pairingOf, pairsOf } from "./pairing.ts";

const id = fc.constantFrom("a", "b", "c");
const block = fc.oneof(
  { weight: 3, arbitrary: id.map((id) => ({ type: "tool_use", id, name: "read", input: {} })) },
  { weight: 3, arbitrary: id.map((tool_use_id) => ({ type: "tool_result", tool_use_id, content: "x" })) },
  { weight: 2, arbitrary: fc.constant({ type: "text", text: "x" }) },
  { weight: 1, arbitrary: fc.constant({ type: "invented" }) },
);
const message = fc.record({
  role: fc.constantFrom("user", "assistant", "assistant", "user", "system", "invented"),
  content: fc.array(block, { maxLength: 3 }),
});
const messages = fc.array(message, { maxLength: 8 });

/** Bodies that each keep some rows of the one before. */
const histories = fc.array(fc.record({ kept: fc.nat(8), added: messages, from: fc.nat(3) }), { maxLength: 6 });

test("DG-1 pairs found on from an earlier history are those of the whole one, whatever changed", () => {
  fc.assert(
    fc.property(messages, histories, fc.boolean(), (first, changes, delta) => {
      const thread = delta ? { thread: { type: "continue" } } : {};
      const bodies = [{ ...thread, messages: first }];
      const known: (readonly Row[])[] = [];
      for (const body of bodies) {
        const change = changes[known.length];
        // Mostly the last one, and now and then an older one again.
        const before = known.at(-1 - ((changes[known.length - 1]?.from ?? 0) % 2));
        const request = readRequest("anthropic-messages", body, before);
        const whole = readRequest("anthropic-messages", structuredClone(body));
        expect(withoutMemos(pairingOf(request))).toEqual(withoutMemos(pairingOf(whole)));
        expect(withoutMemos(pairsOf(request))).toEqual(withoutMemos(pairsOf(whole)));
        known.push(request.rows);
        if (change !== undefined) {
          bodies.push({ ...thread, messages: [...body.messages.slice(0, change.kept), ...change.added] });
        }
      }
    }),
    { numRuns: 300 },
  );
});

/** As text, so that what a row remembers and what is handed on does not count. */
function withoutMemos(value: object): unknown {
  return JSON.parse(JSON.stringify(value, (name, member) => (name === "memo" || name === "callIds" ? null : member)));
}
