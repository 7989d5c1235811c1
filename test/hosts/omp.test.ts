import { ompModels, openOmp } from "./clients/omp.ts";
import { describeAgent } from "./stage/agent-suite.ts";
import { describeClient } from "./stage/client-suite.ts";

for (const [api, model] of Object.entries(ompModels)) {
  describeClient(`OMP, ${api}`, (stage) => openOmp(stage, { model }));
}
describeAgent("OMP", (stage) => openOmp(stage, { model: ompModels["anthropic-messages"] }));
