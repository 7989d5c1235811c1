import { openExtendedOmp } from "./clients/extended-omp.ts";
import { ompModels } from "./clients/omp.ts";
import { describeCommand } from "./stage/command-suite.ts";
import { describeExtension } from "./stage/extension-suite.ts";
import { type ChangingHost, describeStages } from "./stage/stages-suite.ts";

/** Every hook that Holdfast listens to, by name; of the messages only those of the model. */
const order = `import { appendFileSync } from "node:fs";
const names = ["agent_start", "before_provider_request", "after_provider_response", "message_end", "agent_end", "session_shutdown"];
export default (pi) => names.forEach((name) => pi.on(name, ({ message }) => {
  if (message === undefined || message.role === "assistant") appendFileSync(process.env.HOME + "/order", name + "\\n");
}));`;
const step = ["before_provider_request", "after_provider_response", "message_end"];

const host: ChangingHost = {
  host: "OMP",
  models: ompModels,
  open: openExtendedOmp,
  retries: false,
  hookOrder: { source: order, names: ["agent_start", ...step, ...step, "agent_end", "session_shutdown"] },
};

describeExtension(host);
describeStages(host);
describeCommand(host, ompModels["anthropic-messages"]);
