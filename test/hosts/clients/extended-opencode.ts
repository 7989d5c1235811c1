/** OpenCode with Holdfast as one of its plugins. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { environmentOf } from "../stage/direct-stage.ts";
import type { ExtendedAgent } from "../stage/extension-suite.ts";
import type { Stage } from "../stage/stage.ts";
import { openOpencode } from "./opencode.ts";

export async function openExtendedOpencode(stage: Stage, model: string): Promise<ExtendedAgent> {
  const agent = await openOpencode(stage, model);
  const folder = dirname(agent.workFolder);
  return {
    agent,
    folder,
    storePath: `${folder}/data/holdfast/holdfast.db`,
    install(packageFolder) {
      const path = `${folder}/config/opencode/opencode.json`;
      const config = JSON.parse(readFileSync(path, "utf8"));
      const environment = `${folder}/environment.js`;
      writeFileSync(environment, `${environmentOf(stage)}\nexport default async () => ({});\n`);
      const plugin = [`file://${environment}`, `file://${packageFolder}`];
      writeFileSync(path, JSON.stringify({ ...config, plugin }));
    },
  };
}
