/** OpenCode with Holdfast as one of its plugins. */
import { writeFileSync } from "node:fs";
import { environmentOf } from "../stage/direct-stage.ts";
import type { Stage } from "../stage/stage.ts";
import type { ChangingAgent } from "../stage/stages-suite.ts";
import { listPlugins, type OpencodeAgent, openOpencode } from "./opencode.ts";

export interface ExtendedOpencode extends ChangingAgent {
  readonly agent: OpencodeAgent;
}

export async function openExtendedOpencode(stage: Stage, model: string): Promise<ExtendedOpencode> {
  const agent = await openOpencode(stage, model);
  const { folder } = agent;
  return {
    agent,
    folder,
    storePath: `${folder}/data/holdfast/holdfast.db`,
    install(packageFolder, environment = environmentOf(stage)) {
      const path = `${folder}/environment.js`;
      writeFileSync(path, `${environment}\nexport default async () => ({});\n`);
      listPlugins(folder, (plugins) => [`file://${path}`, `file://${packageFolder}`, ...plugins]);
    },
  };
}
