import { expect, test } from "vitest";
import { openExtendedOpencode } from "./clients/extended-opencode.ts";
import { opencodeModels } from "./clients/opencode.ts";
import { proves } from "./matrix/proves.ts";
import { useBuiltPackage } from "./stage/built-package.ts";
import { setDirectStage } from "./stage/direct-stage.ts";
import { describeExtension } from "./stage/extension-suite.ts";
import { type ChangingHost, describeStages } from "./stage/stages-suite.ts";
import { readCounts } from "./stage/stored-counts.ts";
import { describeUnmodelled } from "./stage/unmodelled-suite.ts";

const holdfast = useBuiltPackage();
const claude = opencodeModels["anthropic-messages"];

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
describeUnmodelled(host);

test(
  "HO-10 the request for a title has a lane of its own, and moves nothing of the main one",
  proves("OpenCode", ["side turn"]),
  async () => {
    const stage = await setDirectStage();
    const { agent, storePath, install } = await openExtendedOpencode(stage, claude);
    install(holdfast.folder);
    const server = await agent.startServer();
    const session = await server.openSession({});
    for (const text of ["Please write the parser [[tool]]", "Go on", "And on"]) await session.say(claude, text);
    await server.close();
    const { requests, meter } = stage.provider;
    const modelOf = ({ json }: (typeof requests)[number]) => (json as { model: string }).model;
    expect(requests.map(modelOf).toSorted()).toEqual(["claude-haiku-4-5", ...Array(4).fill("claude-opus-5-5")]);
    const counts = await readCounts(storePath);
    expect(counts.sum("lane", { join: "opens" })).toBe(2);
    expect(counts.sum("lane", { join: "extends" })).toBe(3);
    expect(counts.sum("request", { verdict: "admit" })).toBe(5);
    const main = meter.turns.filter(({ model }) => model === "claude-opus-5-5");
    for (const [at, { read }] of main.entries()) {
      if (at > 0) expect(read).toBe(main[at - 1]!.read + main[at - 1]!.written);
    }
  },
);
