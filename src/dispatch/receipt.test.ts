import fc from "fast-check";
import { expect, test } from "vitest";
import { keyedHash } from "../lib/keyed-hash.ts";
import { type Receipt, ReceiptIndex, ReceiptMaker, TEXT_CHARACTERS_MIN } from "./receipt.ts";

const maker = new ReceiptMaker(keyedHash(Buffer.alloc(32, 3)));

const memory = "Notes on the garden:\n- the jars stand in the cellar\n- the plums are for Ada";

function receiptOf(text: string): Receipt {
  return maker.receiptOf(text)!;
}

function isFound(text: string, ours: string): boolean {
  return new ReceiptIndex(maker, [receiptOf(ours)]).find(text).length === 1;
}

test("DG-60 a text is found as a whole, in merged text and inside a host's frame", () => {
  for (const host of [
    memory,
    `${memory}\n`,
    `Count the jars.\n${memory}`,
    `Count the jars.\n\n${memory}\n\nAnd hurry.`,
    `<system-reminder>${memory}</system-reminder>`,
    `Hello\n<system-reminder>\n${memory}\n</system-reminder>\nbye`,
  ]) {
    expect(isFound(host, memory), host).toBe(true);
  }
  expect(isFound("Count the jars.", memory)).toBe(false);
});

test("DG-60 two texts of one length, and a text and its beginning, are told apart", () => {
  const other = memory.replace("Ada", "Bea");
  const longer = `${memory}\n- the pears are for nobody`;
  const index = new ReceiptIndex(maker, [memory, other, longer].map(receiptOf));
  const idsIn = (text: string) => index.find(text).map(({ receipt }) => receipt.id);
  expect(idsIn(memory)).toEqual([receiptOf(memory).id]);
  expect(idsIn(other)).toEqual([receiptOf(other).id]);
  expect(idsIn(longer).toSorted()).toEqual([receiptOf(memory).id, receiptOf(longer).id].toSorted());
});

test("DG-60 a text that is too short to be found for certain gets no receipt", () => {
  expect(maker.receiptOf(` ${"x".repeat(TEXT_CHARACTERS_MIN - 1)} `)).toBeNull();
});

test("DG-75 a receipt holds no text, its marks are covered in a store, and another key knows nothing of it", () => {
  const receipt = receiptOf(memory);
  const stored = maker.sealed(receipt);
  expect(stored.halves[0].mark).not.toBe(receipt.halves[0].mark);
  expect(maker.sealed(stored)).toEqual(receipt);
  expect(JSON.stringify(stored)).not.toMatch(/jars|garden|plums/);
  const stranger = new ReceiptMaker(keyedHash(Buffer.alloc(32, 4)));
  expect(stranger.receiptOf(memory)!.id).not.toBe(receipt.id);
});

/** Words over several lines, as prompts are, with signs of all widths. */
const words = fc
  .array(fc.string({ unit: fc.constantFrom(..."ab é→😀\n<>-".match(/./gsu)!), minLength: 3, maxLength: 30 }), {
    minLength: 4,
    maxLength: 12,
  })
  .map((lines) => lines.join("\n").trim())
  .filter((text) => text.length >= TEXT_CHARACTERS_MIN);

/** What hosts do around a text: nothing, other texts on lines of their own, a tag. */
const frames = fc
  .tuple(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), fc.constantFrom("\n", "\n\n", "\r\n"))
  .chain(([before, after, gap]) =>
    fc.constantFrom(
      (text: string) => text,
      (text: string) => `${before}${gap}${text}${gap}${after}`,
      (text: string) => `${before}${gap}<system-reminder>${text}</system-reminder>${after}`,
      (text: string) => `<system-reminder>${gap}${text}${gap}</system-reminder>`,
    ),
  );

test("DG-60 a text is found in every frame", () => {
  fc.assert(
    fc.property(words, frames, (ours, frame) => {
      expect(new ReceiptIndex(maker, [receiptOf(ours)]).find(frame(ours)).length).toBeGreaterThan(0);
    }),
  );
});

test("DG-62 one other character, and it is not found any more, but a half of it is", () => {
  fc.assert(
    fc.property(words, fc.nat(), (ours, at) => {
      const place = at % ours.length;
      fc.pre(!/[\ud800-\udfff]/.test(ours[place]!));
      const changed = `${ours.slice(0, place)}${ours[place] === "x" ? "y" : "x"}${ours.slice(place + 1)}`;
      const index = new ReceiptIndex(maker, [receiptOf(ours)]);
      expect(index.find(changed)).toEqual([]);
      expect(index.findAnywhere(changed)).toEqual([]);
      const halves = new ReceiptIndex(maker, [receiptOf(ours)], "halves");
      expect(halves.findAnywhere(`before ${changed} behind`).length).toBeGreaterThan(0);
    }),
  );
});

test("DG-60 a text that was joined in the middle of a line is found where all places are looked at", () => {
  const index = new ReceiptIndex(maker, [receiptOf(memory)]);
  expect(index.find(`Count.${memory}`)).toEqual([]);
  expect(index.findAnywhere(`Count.${memory}`)).toMatchObject([{ at: 6 }]);
});

test("DG-60 a text that repeats the beginning of ours ends soon", () => {
  const index = new ReceiptIndex(maker, [receiptOf(memory)]);
  const hostile = `${memory.slice(0, 20)}\n`.repeat(100_000);
  expect(index.find(hostile)).toEqual([]);
  expect(index.find(`${memory}\n`.repeat(1_000)).length).toBeLessThan(1_000);
});
