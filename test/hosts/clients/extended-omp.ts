/** OMP with Holdfast as one of its extensions. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { environmentOf } from "../stage/direct-stage.ts";
import type { ExtendedAgent } from "../stage/extension-suite.ts";
import type { Stage } from "../stage/stage.ts";
import { openOmp } from "./omp.ts";

export async function openExtendedOmp(stage: Stage, model: string): Promise<ExtendedAgent> {
  const agent = await openOmp(stage, model);
  const folder = dirname(agent.workFolder);
  return {
    agent,
    folder,
    storePath: `${folder}/.local/share/holdfast/holdfast.db`,
    install(packageFolder) {
      const path = `${folder}/.omp/agent/config.yml`;
      const config = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...config, extensions: [packageFolder] }));
      const extensions = `${folder}/.omp/agent/extensions`;
      mkdirSync(extensions, { recursive: true });
      writeFileSync(`${extensions}/environment.js`, `${environmentOf(stage)}\nexport default () => {};\n`);
    },
  };
}
