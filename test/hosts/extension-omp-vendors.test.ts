/** OMP at vendors whose body is made of what our hook sees. */
import { describe, expect, test } from "vitest";
import { setUpOmp } from "./clients/extended-omp.ts";
import { agentExtension } from "./clients/payload-edit.ts";
import { pruneToolResults } from "./clients/prune-tool-results.ts";
import { proves } from "./matrix/proves.ts";
import { useBuiltPackage } from "./stage/built-package.ts";
import { setDirectStage } from "./stage/direct-stage.ts";
import { firstDifference, withoutPlace } from "./stage/same-bytes.ts";
import type { Stage } from "./stage/stage.ts";
import { readCounts } from "./stage/stored-counts.ts";

const holdfast = useBuiltPackage();

const vendors = [
  { api: "google-generative-ai", backend: "google", id: "gemini-2.5-pro", path: "/google/v1beta" },
  { api: "bedrock-converse-stream", backend: "bedrock", id: "anthropic.claude-sonnet-4-5-v1:0", path: "/bedrock" },
  { api: "azure-openai-responses", backend: "azure", id: "gpt-5.5", path: "/azure/openai/v1" },
] as const;

describe.each(vendors.map((vendor) => [vendor.api, vendor] as const))("OMP, %s", (api, { backend, id, path }) => {
  const setUp = async () => {
    const stage = await setDirectStage({ backend });
    const vendor = { api, id, baseUrl: `${stage.front.url}${path}` };
    return { stage, ...(await setUpOmp(stage, { model: `vendor/${id}`, environment: AWS, vendor })) };
  };

  test(
    "HO-1, DG-5 an undisturbed session has the same bytes with Holdfast as without, and is admitted in every turn",
    proves("OMP", ["same bytes"], api),
    async () => {
      const [without, withIt] = [await setUp(), await setUp()];
      withIt.install(holdfast.folder);
      const bodies = [];
      for (const { stage, agent } of [without, withIt]) {
        await agent.converse(["Look [[tool]]", "Thank you"]);
        expect(statuses(stage)).toEqual([200, 200, 200]);
        bodies.push(stage.provider.requests.map((request) => withoutPlace(request, agent.folder)).join("\n"));
      }
      expect(firstDifference(bodies[0]!, bodies[1]!)).toBe(null);
      const counts = await readCounts(withIt.storePath);
      expect(counts.sum("request", { api, verdict: "admit", outcome: "sent" })).toBe(3);
      expect(counts.of("request_unread")).toEqual([]);
      expect(counts.of("own_failure")).toEqual([]);
    },
  );

  test(
    "HO-2, DG-20 results that others drop behind the encoder are made up for",
    proves("OMP", ["repair ahead"], api),
    async () => {
      const [without, withIt] = [await setUp(), await setUp()];
      withIt.install(holdfast.folder);
      for (const { agent } of [without, withIt]) {
        agent.addExtension("prune", agentExtension(pruneToolResults));
        await agent.start("Look [[tool]]").ended;
      }
      expect(statuses(without.stage)).toEqual([200, 400]);
      expect(statuses(withIt.stage)).toEqual([200, 200]);
      expect((await readCounts(withIt.storePath)).sum("request", { api, outcome: "repaired" })).toBe(1);
    },
  );
});

/** Bedrock wants a signature, and the stage looks at none. */
const AWS = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "id-of-the-user", AWS_SECRET_ACCESS_KEY: "key-of-the-user" };

const statuses = ({ provider }: Stage) => provider.requests.map(({ status }) => status);
