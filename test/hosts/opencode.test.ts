import { opencodeModels, openOpencode } from "./clients/opencode.ts";
import { describeClient } from "./stage/client-suite.ts";

for (const [api, model] of Object.entries(opencodeModels)) {
  describeClient(`OpenCode, ${api}`, (stage) => openOpencode(stage, model));
}
