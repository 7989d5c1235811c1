import { expect, test } from "vitest";
import { HeldBytes } from "./held-bytes.ts";

const MiB = 1024 * 1024;

test("GW-7 bodies are held up to a limit over all of them", () => {
  const held = new HeldBytes();
  expect(held.take(500 * MiB)).toBe(true);
  expect(held.take(13 * MiB)).toBe(false);
  held.release(500 * MiB);
  expect(held.take(13 * MiB)).toBe(true);
});
