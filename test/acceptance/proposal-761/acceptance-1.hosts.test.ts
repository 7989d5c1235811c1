/** Past refusals without a hard rule are admitted: on the real hosts, and in the corpus that their encoders have made. */
import { expect, test } from "vitest";
import { makeRefusals, REFUSALS } from "../../corpus/make-refusals.ts";
import { agentExtension } from "../../hosts/clients/payload-edit.ts";
import { refusedByPosition } from "../../hosts/clients/refused-by-position.ts";
import { useBuiltPackage } from "../../hosts/stage/built-package.ts";
import { setDirectStage } from "../../hosts/stage/direct-stage.ts";
import { hostsAndApis } from "../../hosts/stage/pi-and-omp.ts";
import { readCounts } from "../../hosts/stage/stored-counts.ts";

const holdfast = useBuiltPackage();

test.each(hostsAndApis)(
  "DG-2, DG-5 acceptance 1 on %s, %s: turns that a guard by position refuses go out as they are, and none ends the session",
  async (host, api, { open }) => {
    const stage = await setDirectStage();
    const { storePath, install, extend, run } = await open(stage, api);
    install(holdfast.folder);
    extend("refused", agentExtension(refusedByPosition));
    await run(["Look [[tool]]", "Go on", "And on", "And on again"]);
    const { requests } = stage.provider;
    expect(requests.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(requests.filter(({ body }) => body.includes("A reminder of the house."))).toHaveLength(5);
    expect(requests.filter(({ body }) => body.includes("_dup1"))).toHaveLength(4);
    const counts = await readCounts(storePath);
    expect(counts.sum("request", { api, outcome: "sent" })).toBe(5);
    expect(counts.sum("request", { verdict: "unsafe" })).toBe(0);
    // The first shape of a lane is the one that is reported (DG-41). OMP's own history cannot be had without a cost, so
    // there is nothing to differ from.
    const classes = counts.of("divergence").map(({ labels }) => labels.class);
    expect(classes).toEqual(host === "Pi" ? ["row_extra"] : []);
  },
);

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
