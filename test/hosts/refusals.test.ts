/** The checked-in refusals are what the pinned encoders of Pi and OMP make today; a new version of a host shows as a diff. */
import { expect, test } from "vitest";
import { makeRefusals, REFUSALS } from "../corpus/make-refusals.ts";

test("DG-72 acceptance 1: the refusal corpus is what the real encoders of Pi and OMP make of its histories", async () => {
  const made = await makeRefusals();
  expect(made.map(({ id }) => id).toSorted()).toEqual(REFUSALS.listIds());
  for (const { id, bytes, fixture, prepared } of made) {
    const stored = REFUSALS.readFixture(id);
    expect(Buffer.from(bytes).toString(), id).toBe(Buffer.from(stored.bytes).toString());
    expect(fixture, id).toEqual(stored.fixture);
    expect(prepared, id).toEqual(stored.prepared);
  }
});
