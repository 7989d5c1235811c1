import { expect, test } from "vitest";
import { addNoteBlocks } from "../clients/add-note-blocks.ts";
import { proves } from "../matrix/proves.ts";
import { useBuiltPackage } from "./built-package.ts";
import { LONG_TEXT } from "./client-suite.ts";
import { setDirectStage } from "./direct-stage.ts";
import type { ExtendedHost } from "./extension-suite.ts";
import type { ChangingAgent } from "./stages-suite.ts";
import { readCounts } from "./stored-counts.ts";

/** Acceptance 4 of the proposal in a host whose own history is not seen: a kind of block that nobody has heard of. */
export function describeUnmodelled({ host, models, open }: ExtendedHost<ChangingAgent>): void {
  const holdfast = useBuiltPackage();
  const [model] = Object.values(models) as [string];

  test(
    `DG-5, DG-41 acceptance 4 on ${host}: ten turns with a block that nothing models go out as they are, with flat cache writes`,
    proves(host, ["unmodelled shape"]),
    async () => {
      const stage = await setDirectStage();
      const { agent, storePath, install } = await open(stage, model);
      install(holdfast.folder);
      agent.editPayloads(addNoteBlocks);
      await agent.converse([
        `${LONG_TEXT} Look [[tool]]`,
        ...Array.from({ length: 9 }, (_, turn) => `Turn ${turn + 2}`),
      ]);
      expect(stage.provider.requests.map(({ status }) => status)).toEqual(Array(11).fill(200));
      const counts = await readCounts(storePath);
      expect(counts.sum("request", { verdict: "admit-unverified", outcome: "sent" })).toBeGreaterThanOrEqual(10);
      expect(counts.sum("request", { outcome: "sent" })).toBe(11);
      expect(counts.sum("divergence_shape")).toBeLessThanOrEqual(1);
      const { turns } = stage.provider.meter;
      for (const [at, { read, written }] of turns.entries()) {
        const before = turns[at - 1];
        if (before === undefined) continue;
        expect(read, `turn ${at + 1}`).toBe(before.read + before.written);
        expect(written, `turn ${at + 1}`).toBeLessThan(200);
      }
    },
  );
}
