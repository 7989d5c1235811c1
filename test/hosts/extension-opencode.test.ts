import { openExtendedOpencode } from "./clients/extended-opencode.ts";
import { opencodeModels } from "./clients/opencode.ts";
import { describeExtension } from "./stage/extension-suite.ts";
import { type ChangingHost, describeStages } from "./stage/stages-suite.ts";

/** Hooks by name, and the `fetch` that the one on the configuration has put in. */
const order = `import { appendFileSync } from "node:fs";
const write = (name) => appendFileSync(process.env.HOME + "/order", name + "\\n");
export default async () => ({
  config: async ({ provider }) => {
    write("config");
    for (const { options } of Object.values(provider)) {
      const inner = options.fetch;
      options.fetch = (url, init) => (write("fetch"), inner(url, init));
    }
  },
  ...Object.fromEntries(["chat.message", "chat.headers", "dispose"].map((name) => [name, async () => write(name)])),
});`;
const step = ["chat.headers", "fetch"];

const host: ChangingHost = {
  host: "OpenCode",
  models: opencodeModels,
  open: openExtendedOpencode,
  retries: true,
  hookOrder: { source: order, names: ["config", "chat.message", ...step, ...step, "dispose"] },
};

describeExtension(host);
describeStages(host);
