/** The gate runs on Pi as well as on OMP: the same suite, on the versions that are pinned, from the package as it is published. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentExtension } from "../../hosts/clients/payload-edit.ts";
import { pruneToolResults } from "../../hosts/clients/prune-tool-results.ts";
import { useBuiltPackage } from "../../hosts/stage/built-package.ts";
import { setDirectStage } from "../../hosts/stage/direct-stage.ts";
import { hostsAndApis, piAndOmp } from "../../hosts/stage/pi-and-omp.ts";
import { readCounts } from "../../hosts/stage/stored-counts.ts";

const holdfast = useBuiltPackage();
const suites = new URL("../../hosts/", import.meta.url);
const readPackage = (path: string) => JSON.parse(readFileSync(new URL(path, suites), "utf8"));

test.each(hostsAndApis)(
  "HO-1, DG-20 acceptance 6: on %s, %s the gate repairs what is rejected without it, and no turn ends",
  async (_host, api, { open }) => {
    const [without, withIt] = [await setDirectStage(), await setDirectStage()];
    let storePath = "";
    for (const stage of [without, withIt]) {
      const session = await open(stage, api);
      if (stage === withIt) session.install(holdfast.folder);
      session.extend("prune", agentExtension(pruneToolResults));
      await session.run(["Look [[tool]]"]);
      storePath = session.storePath;
    }
    expect(without.provider.requests.map(({ status }) => status)).toEqual([200, 400]);
    expect(withIt.provider.requests.map(({ status }) => status)).toEqual([200, 200]);
    const counts = await readCounts(storePath);
    expect(counts.sum("request", { api, verdict: "unsafe", outcome: "repaired" })).toBe(1);
    expect(counts.sum("request", { api, verdict: "admit", outcome: "sent" })).toBe(1);
  },
);

test.each(piAndOmp)(
  "HO-1 acceptance 6: $host is the version that is pinned, and loads what the manifest names",
  (named) => {
    const pinned = readPackage("package.json").dependencies[named.package];
    expect(pinned).toMatch(/^\d+\.\d+\.\d+$/);
    expect(readPackage(`node_modules/${named.package}/package.json`).version).toBe(pinned);
    const manifest = readPackage("../../package.json");
    expect(manifest[named.host.toLowerCase()].extensions).toEqual([
      `./dist/hosts/${named.host.toLowerCase()}/extension.js`,
    ]);
  },
);
