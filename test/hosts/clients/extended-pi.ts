/** Pi with Holdfast as one of its packages. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { environmentOf } from "../stage/direct-stage.ts";
import type { ExtendedAgent } from "../stage/extension-suite.ts";
import type { Stage } from "../stage/stage.ts";
import { openPi } from "./pi.ts";

export async function openExtendedPi(stage: Stage, model: string): Promise<ExtendedAgent> {
  const agent = await openPi(stage, model);
  const folder = dirname(agent.workFolder);
  return {
    agent,
    folder,
    storePath: `${folder}/.local/share/holdfast/holdfast.db`,
    install(packageFolder) {
      const path = `${folder}/agent/settings.json`;
      const settings = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...settings, packages: [packageFolder] }));
      mkdirSync(`${folder}/agent/extensions`, { recursive: true });
      writeFileSync(`${folder}/agent/extensions/environment.js`, `${environmentOf(stage)}\nexport default () => {};\n`);
    },
  };
}
