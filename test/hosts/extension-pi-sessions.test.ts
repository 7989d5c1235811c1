/** Several models, processes and sessions of Pi, each with Holdfast, on one store. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ENGINE_OWNER } from "../../src/engine/journal.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openExtendedPi } from "./clients/extended-pi.ts";
import { piModels } from "./clients/pi.ts";
import { proves } from "./matrix/proves.ts";
import { useBuiltPackage } from "./stage/built-package.ts";
import { LONG_TEXT } from "./stage/client-suite.ts";
import { setDirectStage } from "./stage/direct-stage.ts";
import { readCounts } from "./stage/stored-counts.ts";

const holdfast = useBuiltPackage();
const claude = piModels["anthropic-messages"];

test(
  "HO-9, DG-20, DG-43 a session with a strayed result goes from model to model, and back, in mid-session",
  proves("Pi", ["model switch"]),
  async () => {
    const stage = await setDirectStage();
    const { agent, storePath, install } = await openExtendedPi(stage, claude);
    install(holdfast.folder);
    await agent.say("Look [[think]] [[tool]]");
    await agent.breakHistory();
    const round = ["openai-responses", "openai-completions", "anthropic-messages"] as const;
    for (const api of round) {
      agent.use(piModels[api]);
      const before = stage.provider.requests.length;
      expect(await agent.say("Think again [[think]] [[tool]]"), api).toContain("The tool said:");
      for (const { status, body } of stage.provider.requests.slice(before)) {
        expect(status, api).toBe(200);
        expect(body.toString(), api).not.toContain("No result provided");
      }
    }
    const counts = await readCounts(storePath);
    for (const api of round) expect(counts.sum("request", { api, outcome: "repaired" }), api).toBe(2);
    expect(counts.sum("provider_rejection")).toBe(0);
  },
);

test(
  "HO-8, HO-10, DG-70 two processes go on with one session at once: both are counted, none is in the other's way",
  proves("Pi", ["two processes"]),
  async () => {
    const stage = await setDirectStage();
    const { agent, storePath, install } = await openExtendedPi(stage, claude);
    install(holdfast.folder);
    await agent.say("Hello");
    const answers = await Promise.all([agent.say("Look left [[tool]]"), agent.say("Look right [[two]]")]);
    for (const answer of answers) expect(answer).toContain("The tool said:");
    expect(await agent.say("What have you seen?")).toContain("You said:");
    expect(stage.provider.requests.map(({ status }) => status)).not.toContain(400);
    const counts = await readCounts(storePath);
    expect(counts.sum("request")).toBe(stage.provider.requests.length);
    expect(counts.of("own_failure")).toEqual([]);
    expect(counts.of("event_lost")).toEqual([]);
  },
);

test(
  "HO-10 a sub-agent at work while the main session waits for its tool has a lane of its own, and moves no prefix",
  proves("Pi", ["side turn"]),
  async () => {
    const stage = await setDirectStage();
    const { agent, storePath, install } = await openExtendedPi(stage, claude);
    install(holdfast.folder);
    await agent.say(LONG_TEXT);
    stage.provider.script({ toolCalls: [{ name: "bash", input: { command: "touch running; sleep 2" } }] });
    const main = agent.say("Wait a little");
    await vi.waitFor(() => expect(existsSync(join(agent.workFolder, "running"))).toBe(true), 60_000);
    const [before, asking] = stage.provider.meter.turns.slice(-2);
    expect(await agent.sayAside(LONG_TEXT)).toContain("You said:");
    expect(await main).toContain("said:");
    const waited = stage.provider.meter.turns.at(-1)!;
    expect(asking!.read).toBe(before!.read + before!.written);
    expect(waited.read).toBe(asking!.read + asking!.written);
    expect(await lanesIn(storePath)).toBe(2);
    expect((await readCounts(storePath)).of("divergence")).toEqual([]);
  },
);

async function lanesIn(storePath: string): Promise<number> {
  const store = await openStore(`sqlite:${storePath}`);
  const events = await store.read(ENGINE_OWNER, "engine/lanes");
  await store.close();
  return events.length;
}
