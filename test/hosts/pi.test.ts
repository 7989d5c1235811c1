import { openPi, piModels } from "./clients/pi.ts";
import { describeClient } from "./stage/client-suite.ts";

for (const [api, model] of Object.entries(piModels)) {
  describeClient(`Pi, ${api}`, (stage) => openPi(stage, model));
}
