import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../store/temporary-folder.ts";
import { EXPECTED, type Fault, LOCALES, type Place, sweep, ZONES } from "./sweep.ts";

const places: readonly Place[] = LOCALES.map((locale, index) => {
  return { runtime: process.execPath, locale, zone: ZONES[index % ZONES.length]! };
});

test("PI-5, PI-40 one plan has one identity in every order, locale, time zone and copy, which is the one that Python takes", async () => {
  const storeUrl = `sqlite:${join(temporaryFolder(), "sweep.db")}`;
  const { identities, changes } = await sweep(places, { rounds: 5, storeUrl });
  expect(identities).toEqual([EXPECTED]);
  // The session's first message is answered by one process, each next one by another.
  expect(changes).toEqual(["create", ...Array(places.length - 1).fill("keep")]);
});

for (const fault of ["locale_order", "unsorted_set", "stringify_sorted"] as const satisfies readonly Fault[]) {
  test(`PI-40 the sweep notices a planted ${fault}`, async () => {
    const few = places.filter(({ locale }) => /^(C|cs)/.test(locale));
    const { identities } = await sweep(few, { rounds: 1, fault });
    // Either it has no one answer, or the answer is not Python's.
    expect(identities.length > 1 || !EXPECTED.startsWith(identities[0]!)).toBe(true);
  });
}
