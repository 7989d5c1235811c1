/** What `holdfast diff` says of requests that real agents send one after the other. */
import { expect, test } from "vitest";
import { diffRequests, type RequestDiff } from "../../src/report/diff/diff-requests.ts";
import { openSessionRequest, type SessionRequest } from "../../src/report/diff/session-request.ts";
import type { Api } from "../../src/wire/api.ts";
import { openExtendedPi } from "./clients/extended-pi.ts";
import { ompModels, openOmp } from "./clients/omp.ts";
import { opencodeModels, openOpencode } from "./clients/opencode.ts";
import { piModels } from "./clients/pi.ts";
import { type AgentCommand, runAgent } from "./stage/agent-process.ts";
import { setDirectStage } from "./stage/direct-stage.ts";
import type { Stage } from "./stage/stage.ts";

/** Each request against the one before it. */
function listDiffs({ provider }: Stage, api: Api): readonly RequestDiff[] {
  const requests = provider.requests.map(({ body }) => openSessionRequest(body, { api }) as SessionRequest);
  return requests.slice(1).map((after, at) => diffRequests(requests[at]!, after));
}

/** The cause of each step and the place of it, in a line. */
function listCauses(stage: Stage, api: Api): readonly string[] {
  return listDiffs(stage, api).map(({ decisive }) => `${decisive?.cause} /${decisive?.path.join("/")}`);
}

/** In these two it is never the same day. */
const WEST = "Etc/GMT+12";
const EAST = "Pacific/Kiritimati";

async function runIn(zone: string, command: AgentCommand): Promise<void> {
  await runAgent({ ...command, environment: { ...command.environment, TZ: zone } });
}

/** OMP writes it into the first row of the user. */
const datePlaces = {
  "anthropic-messages": "clock /messages/0/content",
  "openai-completions": "clock /messages/1/content/0/text",
  "openai-responses": "clock /input/0/content/0/text",
} as const;

test.each(Object.entries(ompModels) as [keyof typeof ompModels, string][])(
  "DF-4 OMP, %s: a date that rolled over between two starts is a clock in the first message",
  async (api, model) => {
    const stage = await setDirectStage();
    const omp = await openOmp(stage, { model });
    await runIn(WEST, omp.command(["--no-title", "-p", "Hello"]));
    await runIn(EAST, omp.command(["--no-title", "-p", "Go on"]));
    const [diff] = listDiffs(stage, api);
    expect(diff!.decisive).toMatchObject({ cause: "clock", volatile: "clock" });
    expect(listCauses(stage, api)).toEqual([expect.stringContaining(datePlaces[api])]);
    expect(diff!.also).toEqual([]);
  },
);

test("DF-4 OpenCode: a date that rolled over between two starts is a clock in the system text", async () => {
  const stage = await setDirectStage();
  const opencode = await openOpencode(stage, opencodeModels["anthropic-messages"]);
  await runIn(WEST, opencode.command("Hello"));
  await runIn(EAST, opencode.command("Go on"));
  expect(listCauses(stage, "anthropic-messages")).toEqual(["clock /system/0/text"]);
  expect(listDiffs(stage, "anthropic-messages")[0]).toMatchObject({ prefixKept: false, also: [] });
});

test("DF-2 OMP: a tool that is switched on in mid-session, and off again", async () => {
  const stage = await setDirectStage();
  const omp = await openOmp(stage, { model: ompModels["anthropic-messages"] });
  await omp.say("Hello");
  await runAgent(omp.command(["--no-title", "--tools", "bash,read", "-p", "Go on"]));
  await omp.say("And on");
  expect(listCauses(stage, "anthropic-messages")).toEqual(["tool_added /tools/1", "tool_removed /tools/1"]);
});

/** Pi lists its tools anew, or tells the model of the change where the model understands that. */
const toolCauses = {
  "anthropic-messages": "append /messages/2",
  "openai-responses": "tool_removed /tools/2",
  "openai-completions": "tool_removed /tools/2",
} as const;

test.each(Object.entries(piModels) as [keyof typeof piModels, string][])(
  "DF-2 Pi, %s: tools that are switched off in mid-session",
  async (api, model) => {
    const stage = await setDirectStage();
    const { agent, extend } = await openExtendedPi(stage, model);
    await agent.say("Hello");
    extend("fewer", 'export default (pi) => pi.on("session_start", () => pi.setActiveTools(["read", "bash"]));');
    await agent.start("Go on").ended;
    expect(listCauses(stage, api)).toEqual([toolCauses[api]]);
  },
);

test("DF-5 OMP, openai-responses: after a restart the reasoning is gone from the history, and back in the turn behind it", async () => {
  const stage = await setDirectStage();
  const omp = await openOmp(stage, { model: ompModels["openai-responses"], reasoning: true });
  await omp.converse(["Look [[think]] [[tool]]", "Go on"]);
  await omp.converse(["And on", "And on again"]);
  expect(listCauses(stage, "openai-responses").slice(2)).toEqual([
    "history_dropped /input/1/type",
    "history_inserted /input/1/type",
  ]);
});

test("DF-5 OMP, openai-responses: after a restart the answers have other members than before it", async () => {
  const stage = await setDirectStage();
  const omp = await openOmp(stage, { model: ompModels["openai-responses"] });
  await omp.converse(["Look [[tool]]", "Go on"]);
  await omp.converse(["And on", "And on again"]);
  const moved = "history_rewritten /input/3/content/0/logprobs";
  expect(listCauses(stage, "openai-responses").slice(2)).toEqual([moved, moved]);
});
