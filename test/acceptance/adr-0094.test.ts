import { expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { AUTHORITY_CASES } from "./authority-case.ts";
import { checkStep } from "./authority-step.ts";

for (const one of AUTHORITY_CASES) {
  test(`RA-5 case ${one.title}`, async () => {
    const store = await openStore("memory:");
    for (const step of one.steps) expect(await checkStep(store, one, step)).toBe(null);
    await store.close();
  });
}
