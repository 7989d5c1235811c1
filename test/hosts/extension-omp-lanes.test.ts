/** What only OMP does: chained Responses, the billing row of a login, and questions beside the conversation. */
import { expect, test, vi } from "vitest";
import { openExtendedOmp, setUpOmp } from "./clients/extended-omp.ts";
import { ompModels } from "./clients/omp.ts";
import { agentExtension } from "./clients/payload-edit.ts";
import { pruneToolResults } from "./clients/prune-tool-results.ts";
import { proves } from "./matrix/proves.ts";
import { useBuiltPackage } from "./stage/built-package.ts";
import { LONG_TEXT } from "./stage/client-suite.ts";
import { setDirectStage } from "./stage/direct-stage.ts";
import type { Stage } from "./stage/stage.ts";
import { readCounts } from "./stage/stored-counts.ts";
import { openTerminal } from "./stage/terminal.ts";

const holdfast = useBuiltPackage();
const claude = ompModels["anthropic-messages"];

test("HO-2 a listener for `context` that does nothing costs OMP its breakpoints, so Holdfast has none", async () => {
  const [without, withIt] = [await setDirectStage(), await setDirectStage()];
  for (const stage of [without, withIt]) {
    const { agent } = await openExtendedOmp(stage, claude);
    if (stage === withIt) agent.addExtension("listener", 'export default (pi) => pi.on("context", () => {});');
    await agent.converse([`${LONG_TEXT} Look [[tool]]`, LONG_TEXT, LONG_TEXT, "Thank you"]);
  }
  const [plain, listening] = [without, withIt].map(({ provider }) => provider.meter.turns.at(-1)!.read);
  // Once they are equal, Holdfast may repair OMP's array too.
  expect(listening).toBeLessThan(plain! / 2);
});

/** As OMP talks to OpenAI itself: the server keeps the history, a request brings what is new. */
const chained = { model: ompModels["openai-responses"], environment: { PI_OPENAI_STATEFUL: "1" } };

const sentTo = ({ provider }: Stage) =>
  provider.requests.map(({ status, json }) => ({
    status,
    ...(json as { input: readonly { type?: string }[]; previous_response_id?: string }),
  }));

test("HO-1, DG-61 a chained lane stays chained: its history is known, and legal", async () => {
  const stage = await setDirectStage();
  const { agent, storePath, install } = await setUpOmp(stage, chained);
  install(holdfast.folder);
  await agent.converse(["Look [[tool]]", "Go on", "And on"]);
  const sent = sentTo(stage);
  expect(sent.map((request) => request.previous_response_id !== undefined)).toEqual([false, true, true, true]);
  expect(sent.map(({ input }) => input.length)).toEqual([1, 1, 1, 1]);
  const counts = await readCounts(storePath);
  expect(counts.sum("request", { verdict: "admit", outcome: "sent" })).toBe(4);
  expect(counts.of("divergence")).toEqual([]);
});

test(
  "HO-2, DG-20 a chained lane whose provider misses a result is sent in full, repaired, and goes on chained",
  proves("OMP", ["repair ahead"]),
  async () => {
    const [without, withIt] = [await setDirectStage(), await setDirectStage()];
    for (const stage of [without, withIt]) {
      const { agent, install } = await setUpOmp(stage, chained);
      if (stage === withIt) install(holdfast.folder);
      agent.addExtension("prune", agentExtension(pruneToolResults));
      await agent.start("Look [[tool]]").ended;
    }
    expect(sentTo(without).map(({ status }) => status)).toEqual([200, 400]);
    const [asked, repaired] = sentTo(withIt);
    expect(asked!.status).toBe(200);
    expect(repaired!.status).toBe(200);
    expect(repaired).not.toHaveProperty("previous_response_id");
    expect(repaired!.input.slice(0, 1)).toEqual(asked!.input);
    expect(repaired!.input.slice(1).map(({ type }) => type)).toEqual(["function_call", "function_call_output"]);
  },
);

test("HO-2, DG-25 a repaired chained lane goes on from the repair: no later request is repaired again", async () => {
  const stage = await setDirectStage();
  const { agent, storePath, install } = await setUpOmp(stage, chained);
  install(holdfast.folder);
  agent.addExtension("prune", agentExtension(pruneToolResults));
  await agent.converse(["Look [[tool]]", "Go on", "And on"]);
  const sent = sentTo(stage);
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(sent.map((request) => request.previous_response_id !== undefined)).toEqual([false, false, true, true]);
  expect((await readCounts(storePath)).sum("request", { outcome: "repaired" })).toBe(1);
});

test(
  "HO-2, DG-4 a body with the billing row of a login is repaired only when a rejection has asked for it",
  proves("OMP", ["repair after a 400"]),
  async () => {
    const stage = await setDirectStage();
    const { agent, install } = await setUpOmp(stage, { model: claude, auth: null });
    install(holdfast.folder);
    agent.addExtension("prune", agentExtension(pruneToolResults));
    for (const text of ["Look [[tool]]", "Go on", "And on"]) await agent.start(text).ended;
    const { requests } = stage.provider;
    expect(requests.map(({ status }) => status)).toEqual([200, 400, 200, 200]);
    for (const { body } of requests) {
      // OMP computes the digest when it sends, over what we returned.
      expect(body.toString()).toMatch(/x-anthropic-billing-header: [^"]*cch=(?!00000)[0-9a-f]{5};/);
    }
  },
);

test(
  "HO-10 a title and a question beside the conversation have lanes of their own, and move nothing of the main one",
  proves("OMP", ["side turn"]),
  async () => {
    const stage = await setDirectStage();
    const { agent, storePath, install } = await openExtendedOmp(stage, claude);
    install(holdfast.folder);
    const { requests, meter } = stage.provider;
    const answered = (count: number) =>
      vi.waitFor(() => expect(meter.turns.length).toBeGreaterThanOrEqual(count), 60_000);
    const terminal = openTerminal(agent.command([]));
    await terminal.enter(`Please write the parser of the project`);
    await answered(2);
    await terminal.enter("/btw What is a parser?");
    await answered(3);
    await terminal.press("\x1b");
    await terminal.enter("Go on");
    await answered(4);
    await terminal.close();
    expect(requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const rows = requests.map(({ json }) => (json as { messages: readonly unknown[] }).messages.length);
    const main = rows.indexOf(3);
    expect(rows.toSorted((a, b) => a - b)).toEqual([1, 1, 3, 4]);
    // OMP shows no hook its title request.
    const counts = await readCounts(storePath);
    expect(counts.sum("request", { verdict: "admit" })).toBe(3);
    expect(counts.sum("lane", { join: "opens" })).toBe(2);
    expect(counts.sum("lane", { join: "extends" })).toBe(1);
    expect(counts.sum("lane", { join: "forks" })).toBe(0);
    expect(meter.turns[main]!.read).toBeGreaterThan(0);
  },
);
