import { opencodeModels, openOpencode } from "./clients/opencode.ts";
import { describeAgent } from "./stage/agent-suite.ts";
import { describeClient } from "./stage/client-suite.ts";

for (const [api, model] of Object.entries(opencodeModels)) {
  describeClient(`OpenCode, ${api}`, (stage) => openOpencode(stage, model));
}
describeAgent("OpenCode", (stage) => openOpencode(stage, opencodeModels["anthropic-messages"]));
