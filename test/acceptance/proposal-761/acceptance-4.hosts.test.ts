/** A session that hits one unmodelled shape shows one divergence, and then a stable prefix. */
import { describe, expect, test } from "vitest";
import type { Api } from "../../../src/wire/api.ts";
import { addReminder } from "../../hosts/clients/add-reminder.ts";
import { openExtendedOmp } from "../../hosts/clients/extended-omp.ts";
import { openExtendedPi } from "../../hosts/clients/extended-pi.ts";
import { ompModels } from "../../hosts/clients/omp.ts";
import { agentExtension } from "../../hosts/clients/payload-edit.ts";
import { piModels } from "../../hosts/clients/pi.ts";
import { proves } from "../../hosts/matrix/proves.ts";
import { useBuiltPackage } from "../../hosts/stage/built-package.ts";
import { LONG_TEXT } from "../../hosts/stage/client-suite.ts";
import { setDirectStage } from "../../hosts/stage/direct-stage.ts";
import { readCounts } from "../../hosts/stage/stored-counts.ts";
import { describeUnmodelled } from "../../hosts/stage/unmodelled-suite.ts";

const holdfast = useBuiltPackage();

describe.each(Object.entries(piModels) as [Api, string][])("Pi, %s", (api, model) => {
  test(
    "DG-30, DG-41 acceptance 4: an unmodelled shape is one divergence in ten turns, each a process of its own, and cache writes stay flat",
    proves("Pi", ["unmodelled shape"], api),
    async () => {
      const stage = await setDirectStage();
      const { agent, storePath, install, extend } = await openExtendedPi(stage, model);
      install(holdfast.folder);
      extend("reminder", agentExtension(addReminder));
      await agent.say(LONG_TEXT);
      for (let turn = 2; turn <= 10; turn++) await agent.say(`Turn ${turn}`);
      expect(stage.provider.requests.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const counts = await readCounts(storePath);
      expect(counts.sum("divergence_shape", { host: "pi" })).toBe(1);
      expect(counts.of("divergence").map(({ labels, count }) => [labels.class, count])).toEqual([["row_extra", 1]]);
      expect(counts.sum("request", { outcome: "sent" })).toBe(10);
      const { turns } = stage.provider.meter;
      for (const [index, { read }] of turns.entries()) {
        const before = turns[index - 1];
        if (before !== undefined) expect(read, `turn ${index + 1}`).toBe(before.read + before.written);
      }
    },
  );
});

describeUnmodelled({ host: "OMP", models: ompModels, open: openExtendedOmp });
