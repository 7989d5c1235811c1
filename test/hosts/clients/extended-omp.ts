/** OMP with Holdfast as one of its extensions. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { environmentOf } from "../stage/direct-stage.ts";
import type { Stage } from "../stage/stage.ts";
import type { ChangingAgent } from "../stage/stages-suite.ts";
import { type OmpAgent, type OmpOptions, openOmp } from "./omp.ts";

export interface ExtendedOmp extends ChangingAgent {
  readonly agent: OmpAgent;
}

export async function openExtendedOmp(stage: Stage, model: string): Promise<ExtendedOmp> {
  return await setUpOmp(stage, { model });
}

export async function setUpOmp(stage: Stage, options: OmpOptions): Promise<ExtendedOmp> {
  const agent = await openOmp(stage, options);
  const { folder } = agent;
  return {
    agent,
    folder,
    storePath: `${folder}/.local/share/holdfast/holdfast.db`,
    install(packageFolder, environment = environmentOf(stage)) {
      const path = `${folder}/.omp/agent/config.yml`;
      const config = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...config, extensions: [packageFolder] }));
      const extensions = `${folder}/.omp/agent/extensions`;
      mkdirSync(extensions, { recursive: true });
      writeFileSync(`${extensions}/environment.js`, `${environment}\nexport default () => {};\n`);
    },
  };
}
