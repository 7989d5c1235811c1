/** Pi with Holdfast as one of its packages. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { environmentOf } from "../stage/direct-stage.ts";
import type { ExtendedAgent } from "../stage/extension-suite.ts";
import type { Stage } from "../stage/stage.ts";
import { openPi, type PiAgent } from "./pi.ts";
import type { PiVendor } from "./pi-vendors.ts";

export interface ExtendedPi extends ExtendedAgent {
  readonly agent: PiAgent;
  /** Another extension of the user: JavaScript with a default export. Those of this kind are loaded before packages. */
  extend(name: string, source: string): void;
}

export async function openExtendedPi(stage: Stage, model: string, vendor?: PiVendor): Promise<ExtendedPi> {
  const agent = await openPi(stage, model, vendor);
  const folder = dirname(agent.workFolder);
  const extend: ExtendedPi["extend"] = (name, source) => {
    mkdirSync(`${folder}/agent/extensions`, { recursive: true });
    writeFileSync(`${folder}/agent/extensions/${name}.js`, source);
  };
  return {
    agent,
    extend,
    folder,
    storePath: `${folder}/.local/share/holdfast/holdfast.db`,
    install(packageFolder, environment = environmentOf(stage)) {
      const path = `${folder}/agent/settings.json`;
      const settings = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...settings, packages: [packageFolder] }));
      extend("environment", `${environment}\nexport default () => {};\n`);
    },
  };
}
