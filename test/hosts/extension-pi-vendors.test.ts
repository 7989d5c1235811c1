/** Pi at vendors whose SDK makes the body out of what our hook sees, and at those whose address is made at the last moment. */
import { describe, expect, test } from "vitest";
import { openExtendedPi } from "./clients/extended-pi.ts";
import { agentExtension } from "./clients/payload-edit.ts";
import { piVendors } from "./clients/pi-vendors.ts";
import { pruneToolResults } from "./clients/prune-tool-results.ts";
import { proves } from "./matrix/proves.ts";
import { useBuiltPackage } from "./stage/built-package.ts";
import { LONG_TEXT } from "./stage/client-suite.ts";
import { setDirectStage } from "./stage/direct-stage.ts";
import { firstDifference, withoutPlace } from "./stage/same-bytes.ts";
import { readCounts } from "./stage/stored-counts.ts";

const holdfast = useBuiltPackage();

describe.each(piVendors.map((vendor) => [vendor.api, vendor] as const))("Pi, %s", (api, vendor) => {
  const setUp = async () => {
    const stage = await setDirectStage({ backend: vendor.backend });
    return { stage, ...(await openExtendedPi(stage, vendor.model, vendor)) };
  };

  test(
    "HO-1, HO-9, DG-5 an undisturbed session has the same bytes with Holdfast as without, and every turn is admitted",
    proves("Pi", ["same bytes", "prepared"], api),
    async () => {
      const bodies: (readonly string[])[] = [];
      for (const withIt of [false, true]) {
        const { stage, agent, folder, storePath, install } = await setUp();
        if (withIt) install(holdfast.folder);
        for (const text of [LONG_TEXT, "Look [[tool]]", "Thank you"]) await agent.say(text);
        bodies.push(stage.provider.requests.map((request) => withoutClock(withoutPlace(request, folder))));
        if (!withIt) continue;
        const counts = await readCounts(storePath);
        expect(counts.sum("request", { api, outcome: "sent" })).toBe(4);
        expect(counts.sum("request", { verdict: "unsafe" })).toBe(0);
        expect(counts.of("divergence").map(({ labels }) => labels.class)).toEqual(vendor.always ? [vendor.always] : []);
        expect(counts.of("request_unread")).toEqual([]);
        expect(counts.of("own_failure")).toEqual([]);
      }
      expect(firstDifference(bodies[0]!.join("\n"), bodies[1]!.join("\n"))).toBe(null);
    },
  );

  test(
    "HO-9, DG-20 a result that strayed goes back to its call, and what others drop behind the encoder is made up for",
    proves("Pi", ["repair ahead", "restart"], api),
    async () => {
      const { stage, agent, storePath, install, extend } = await setUp();
      const { requests } = stage.provider;
      const turn = async (text: string) => {
        await agent.start(text).ended;
        return requests.at(-1)!.status;
      };
      await agent.say("Look [[tool]]");
      await agent.breakHistory();
      expect(await turn("Go on")).toBe(400);
      install(holdfast.folder);
      expect(await turn("Go on")).toBe(vendor.learns === "strayed result" ? 400 : 200);
      expect(await turn("And on")).toBe(200);
      expect(requests.at(-1)!.body.toString()).not.toContain("No result provided");
      extend("prune", agentExtension(pruneToolResults));
      expect(await turn("And on")).toBe(vendor.learns === "dropped result" ? 400 : 200);
      const counts = await readCounts(storePath);
      expect(counts.sum("request", { api, outcome: "repaired" })).toBeGreaterThanOrEqual(2);
      expect(counts.of("own_failure")).toEqual([]);
    },
  );
});

/** Pi names a call that Gemini has given no id by the clock. */
function withoutClock(body: string): string {
  return body.replaceAll(/bash_\d{13}_/g, "bash_CLOCK_");
}
