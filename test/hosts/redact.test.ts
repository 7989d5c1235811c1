/** Bodies that real agents sent, full of what must not leave the machine, before and after redaction. */
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Filler } from "../../src/corpus/filler.ts";
import type { Backend } from "../../src/wire/api.ts";
import { SECRETS } from "../corpus/planted-body.ts";
import { causeOf, checkSame, readAll, redact } from "../corpus/redaction-check.ts";
import { openExtendedPi } from "./clients/extended-pi.ts";
import { ompModels, openOmp } from "./clients/omp.ts";
import { opencodeModels, openOpencode } from "./clients/opencode.ts";
import { agentExtension } from "./clients/payload-edit.ts";
import { piModels } from "./clients/pi.ts";
import { pruneToolResults } from "./clients/prune-tool-results.ts";
import type { Agent } from "./stage/agent-suite.ts";
import { setDirectStage } from "./stage/direct-stage.ts";
import type { Stage } from "./stage/stage.ts";

/** An agent, and what makes its history one that is rejected. */
type Open = (stage: Stage, api: HostApi) => Promise<{ readonly agent: Agent; readonly breakPayloads: () => void }>;
type HostApi = keyof typeof piModels;

const agents: Readonly<Record<string, Open>> = {
  Pi: async (stage, api) => {
    const { agent, extend } = await openExtendedPi(stage, piModels[api]);
    return { agent, breakPayloads: () => extend("prune", agentExtension(pruneToolResults)) };
  },
  OMP: async (stage, api) => {
    const agent = await openOmp(stage, { model: ompModels[api] });
    return { agent, breakPayloads: () => agent.editPayloads(pruneToolResults) };
  },
  OpenCode: async (stage, api) => {
    const agent = await openOpencode(stage, opencodeModels[api]);
    return { agent, breakPayloads: () => agent.editPayloads(pruneToolResults) };
  },
};

const backends: Readonly<Record<HostApi, Backend>> = {
  "anthropic-messages": "anthropic",
  "openai-completions": "openai",
  "openai-responses": "openai",
};

/** Each third of the secrets is said by the person, written in the project, or read by a tool. */
async function bodiesOf(open: Open, api: HostApi): Promise<readonly Buffer[]> {
  const stage = await setDirectStage();
  const { agent, breakPayloads } = await open(stage, api);
  const third = (n: number) => SECRETS.filter((_, index) => index % 3 === n).join("\n");
  writeFileSync(`${agent.workFolder}/AGENTS.md`, `# Rules of the house\n${third(0)}\n`);
  writeFileSync(`${agent.workFolder}/notes.txt`, third(1));
  const input = { command: "cat notes.txt", description: `Reads what ${SECRETS[0]} wrote`, timeout: 10_000 };
  stage.provider.script({ toolCalls: [{ name: "bash", input }] });
  await agent.say(`Look up\n${third(2)}`);
  await agent.say("And on");
  breakPayloads();
  await agent.start("Go on").ended;
  const { requests } = stage.provider;
  expect(requests.at(-1)!.status).toBe(400);
  return requests.map(({ body }) => body);
}

/** OpenCode needs six seconds for a turn. */
const cases = [
  ...(["anthropic-messages", "openai-completions", "openai-responses"] as const).flatMap((api) => [
    ["Pi", api] as const,
    ["OMP", api] as const,
  ]),
  ["OpenCode", "anthropic-messages"] as const,
];

test.each(cases)("DG-71 %s, %s: nothing that was planted is left, and verdicts and causes stay", async (host, api) => {
  const bodies = await bodiesOf(agents[host]!, api);
  const before = bodies.map(readAll).join("\n");
  expect(SECRETS.filter((secret) => before.includes(secret)).length).toBeGreaterThanOrEqual(200);

  const filler = new Filler();
  const redacted = bodies.map((body) => redact(body, filler));
  const after = redacted.map(readAll).join("\n").toLowerCase();
  expect(SECRETS.filter((secret) => after.includes(secret.toLowerCase()))).toEqual([]);

  for (const body of bodies) checkSame(body, { api, backend: backends[api] });
  for (const [at, body] of redacted.entries()) {
    if (at > 0) expect(causeOf(redacted[at - 1]!, body, api)).toEqual(causeOf(bodies[at - 1]!, bodies[at]!, api));
  }
});
