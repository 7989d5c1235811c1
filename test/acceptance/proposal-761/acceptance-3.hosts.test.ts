/** Bytes of admitted turns are those with the gate off, also where they are admitted unverified. */
import { expect, test } from "vitest";
import { addReminder } from "../../hosts/clients/add-reminder.ts";
import { agentExtension } from "../../hosts/clients/payload-edit.ts";
import { useBuiltPackage } from "../../hosts/stage/built-package.ts";
import { environmentOf, setDirectStage } from "../../hosts/stage/direct-stage.ts";
import { hostsAndApis } from "../../hosts/stage/pi-and-omp.ts";
import { firstDifference, withoutPlace } from "../../hosts/stage/same-bytes.ts";
import { readCounts } from "../../hosts/stage/stored-counts.ts";

const holdfast = useBuiltPackage();

const MODES = ["guard", "observe"] as const;

test.each(hostsAndApis)(
  "DG-5 acceptance 3 on %s, %s: what is admitted leaves as it does with the gate off, verified or not",
  async (host, api, { open }) => {
    const sent: string[] = [];
    for (const mode of MODES) {
      const stage = await setDirectStage();
      const { folder, storePath, install, extend, run } = await open(stage, api);
      install(holdfast.folder, `${environmentOf(stage)} process.env.HOLDFAST_MODE = "${mode}";`);
      const bash = { name: "bash", input: { command: "true", description: "Does nothing" } };
      stage.provider.script({ toolCalls: [bash] });
      await run(["Look", "Thank you"]);
      extend("reminder", agentExtension(addReminder));
      await run(["Go on"]);
      expect(stage.provider.requests.map(({ status }) => status)).toEqual(Array(4).fill(200));
      sent.push(stage.provider.requests.map((request) => withoutPlace(request, folder)).join("\n"));
      const counts = await readCounts(storePath);
      expect(counts.sum("request", { api, outcome: "sent" })).toBe(4);
      expect(counts.sum("request", { verdict: "admit-unverified" })).toBe(host === "Pi" ? 1 : 0);
    }
    expect(firstDifference(sent[0]!, sent[1]!)).toBe(null);
  },
);
