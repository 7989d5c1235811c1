import { expect, test } from "vitest";
import { BodyMemory } from "./body-memory.ts";

const MiB = 1024 * 1024;

test("GW-7 bodies are held up to a limit over all of them", () => {
  const memory = new BodyMemory();
  expect(memory.reserve(500 * MiB)).toBe(true);
  expect(memory.reserve(13 * MiB)).toBe(false);
  memory.release(500 * MiB);
  expect(memory.reserve(13 * MiB)).toBe(true);
});

test("GW-7 a block is used again for a body of its size, and by one body at a time", () => {
  const memory = new BodyMemory();
  const first = memory.allocate(MiB - 5);
  expect(first).toHaveLength(MiB - 5);
  memory.recycle(first);
  memory.recycle(first);
  const second = memory.allocate(MiB - 9);
  expect(second).toHaveLength(MiB - 9);
  expect(second.buffer).toBe(first.buffer);
  expect(memory.allocate(MiB - 9).buffer).not.toBe(first.buffer);
});

test("GW-7 a buffer of someone else is never given out", () => {
  const memory = new BodyMemory();
  const foreign = Buffer.alloc(MiB);
  memory.recycle(foreign);
  memory.recycle(memory.allocate(MiB).subarray(1));
  expect(memory.allocate(MiB).buffer).not.toBe(foreign.buffer);
});

test("GW-7 a large block is not bound by a small body, and what is kept is limited", () => {
  const memory = new BodyMemory();
  memory.recycle(memory.allocate(16 * MiB));
  expect(memory.allocate(MiB).buffer.byteLength).toBe(MiB);
  const blocks = Array.from({ length: 6 }, () => memory.allocate(16 * MiB));
  for (const block of blocks) memory.recycle(block);
  const again = Array.from({ length: 6 }, () => memory.allocate(16 * MiB).buffer);
  expect(again.filter((buffer) => blocks.some((before) => before.buffer === buffer)).length).toBe(4);
});
