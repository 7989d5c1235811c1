/** What only Pi offers: its own array before it is encoded, and with it the comparison of what was meant and what was sent. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Api } from "../../src/wire/api.ts";
import { openExtendedPi } from "./clients/extended-pi.ts";
import { agentExtension } from "./clients/payload-edit.ts";
import { piModels } from "./clients/pi.ts";
import { pruneToolResults } from "./clients/prune-tool-results.ts";
import { proves } from "./matrix/proves.ts";
import { useBuiltPackage } from "./stage/built-package.ts";
import { LONG_TEXT } from "./stage/client-suite.ts";
import { setDirectStage } from "./stage/direct-stage.ts";
import { readCounts } from "./stage/stored-counts.ts";

const holdfast = useBuiltPackage();

/** What Pi writes for a call that it finds no result for. */
const MADE_UP = "No result provided";

describe.each(Object.entries(piModels) as [Api, string][])("Pi, %s", (api, model) => {
  test(
    "HO-9, DG-30 an undisturbed session is admitted on both sides of the encoder, in every turn",
    proves("Pi", ["prepared"], api),
    async () => {
      const stage = await setDirectStage();
      const { agent, storePath, install } = await openExtendedPi(stage, model);
      install(holdfast.folder);
      for (const text of ["Hello", "Look twice [[two]]", "Think [[think]] [[tool]]", "Thank you"])
        await agent.say(text);
      const counts = await readCounts(storePath);
      expect(counts.sum("request")).toBe(stage.provider.requests.length);
      expect(counts.sum("request", { verdict: "admit", outcome: "sent" })).toBe(counts.sum("request"));
      expect(counts.of("own_failure")).toEqual([]);
    },
  );

  test(
    "HO-9, DG-20, DG-22 a result that strayed goes back to its call before Pi makes one up, and the prefix stays",
    proves("Pi", ["repair ahead"], api),
    async () => {
      const stage = await setDirectStage();
      const { agent, storePath, install } = await openExtendedPi(stage, model);
      await agent.say(`${LONG_TEXT} Look twice [[two]]`);
      await agent.breakHistory();
      await agent.start("Go on").ended;
      const rejected = stage.provider.requests.at(-1)!;
      expect(rejected.status).toBe(400);
      expect(rejected.body.toString()).toContain(MADE_UP);

      install(holdfast.folder);
      for (const text of ["Go on", "And on", "And on again"]) {
        await agent.say(text);
        const { status, body } = stage.provider.requests.at(-1)!;
        expect(status, text).toBe(200);
        expect(body.toString()).not.toContain(MADE_UP);
      }
      const [first, second, third] = stage.provider.meter.turns.slice(-3);
      expect(second!.read).toBe(first!.read + first!.written);
      expect(third!.read).toBe(second!.read + second!.written);
      const counts = await readCounts(storePath);
      expect(counts.sum("request", { verdict: "admit", outcome: "repaired" })).toBe(3);
      expect(counts.sum("repair")).toBe(3);
      expect(counts.sum("divergence")).toBe(0);
    },
  );

  test(
    "HO-9, DG-3, DG-20 what another extension drops behind the encoder is repaired on the payload, and has a name",
    proves("Pi", ["repair ahead", "prepared"], api),
    async () => {
      const stage = await setDirectStage();
      const { agent, storePath, install, extend } = await openExtendedPi(stage, model);
      install(holdfast.folder);
      await agent.say("Look [[tool]]");
      extend("prune", agentExtension(pruneToolResults));
      expect(await agent.say("Go on")).toContain("said:");
      expect(stage.provider.requests.at(-1)!.status).toBe(200);
      const counts = await readCounts(storePath);
      expect(counts.sum("request", { verdict: "unsafe", outcome: "repaired" })).toBe(1);
      expect(counts.of("divergence").map(({ labels }) => labels.class)).toEqual(["pair_dropped"]);
    },
  );
});

test(
  "HO-7, HO-9, DG-11 what a server that nobody names rejects is repaired in Pi's array on the next request",
  proves("Pi", ["repair after a 400"]),
  async () => {
    const stage = await setDirectStage();
    const { agent, storePath, install } = await openExtendedPi(stage, piModels["anthropic-messages"]);
    await agent.say("Look [[tool]]");
    await agent.breakHistory();
    install(holdfast.folder, "");
    const before = stage.provider.requests.length;
    for (const text of ["Go on", "And on"]) await agent.start(text).ended;
    expect(stage.provider.requests.slice(before).map(({ status }) => status)).toEqual([400, 200]);
    const counts = await readCounts(storePath);
    expect(counts.sum("rule_confirmed", { rule: "A-DUPRES-7" })).toBe(1);
    expect(counts.sum("request", { outcome: "repaired" })).toBe(1);
  },
);

test(
  "HO-9, HO-10 Pi calls our hooks in the order that they rely on",
  proves("Pi", ["hook order", "operations"]),
  async () => {
    const stage = await setDirectStage();
    const { agent, folder, install, extend } = await openExtendedPi(stage, piModels["anthropic-messages"]);
    install(holdfast.folder);
    extend("order", ORDER);
    await agent.say("Look [[tool]]");
    const step = ["context", "before_provider_request", "after_provider_response", "message_end"];
    const seen = readFileSync(`${folder}/order`, "utf8").trimEnd().split("\n");
    expect(seen).toEqual(["agent_start", ...step, ...step, "agent_end", "session_shutdown"]);
  },
);

/** Every hook that Holdfast listens to, by name; of the messages only those of the model. */
const ORDER = `import { appendFileSync } from "node:fs";
const names = ["agent_start", "context", "before_provider_request", "after_provider_response", "message_end", "agent_end",
  "session_shutdown"];
export default (pi) => names.forEach((name) => pi.on(name, ({ message }) => {
  if (message === undefined || message.role === "assistant") appendFileSync(process.env.HOME + "/order", name + "\\n");
}));`;
