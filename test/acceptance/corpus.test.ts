/** What the proposal asks of a corpus, from a turn that goes wrong behind the real gateway to a failing build. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CorpusFolder } from "../../src/corpus/corpus-folder.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../../src/testing/index.ts";
import { runProgram, startProgram } from "../cli/program.ts";
import { assistant, call, request, text, user } from "../dispatch/anthropic-body.ts";

let folder: string;
let provider: SimulatedProvider;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-corpus-"));
  provider = await startSimulatedProvider();
});
afterAll(async () => {
  await provider.close();
  await rm(folder, { recursive: true });
});

/** One gateway process from start to end; all share a store and a folder for bodies. */
async function runGateway(turns: readonly object[]): Promise<void> {
  const flags = [
    "--store",
    "sqlite:corpus.db",
    "--capture-bodies",
    "captured",
    "--upstream",
    `anthropic=${provider.url}`,
  ];
  const gateway = startProgram(["start", "--json", "--port", "0", ...flags], { cwd: folder });
  try {
    while (!gateway.output().endsWith("}\n")) await once(gateway.child.stdout, "data");
    const { port } = JSON.parse(gateway.output()) as { port: number };
    for (const turn of turns) {
      await fetch(`http://127.0.0.1:${port}/anthropic/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "test", "anthropic-version": "2023-06-01" },
        body: JSON.stringify(turn),
      }).then((response) => response.arrayBuffer());
    }
    gateway.child.kill("SIGTERM");
    expect((await gateway.ended).status).toBe(0);
  } finally {
    gateway.child.kill("SIGKILL");
  }
}

test("DG-70 DG-71 acceptance 5: divergences and degraded turns of two processes stand in the issue with their class, and their bodies replay", async () => {
  const unknown = request([user("go"), assistant([{ type: "hologram", of: "Nightjar" }]), user("Nightjar, please")]);
  const degraded = request([user("look for Nightjar"), assistant([text("well")])], { model: "claude-opus-4-6" });
  await runGateway([unknown, degraded]);
  await runGateway([unknown, request([user("go"), assistant([call("nightjar")]), user("stop")])]);
  const { stdout: issue } = await runProgram(["doctor", "--issue", "--store", "sqlite:corpus.db"], { cwd: folder });
  const countOf = (pattern: RegExp) =>
    issue
      .split("\n")
      .filter((line) => pattern.test(line))
      .map((line) => line.split("|").at(-2)?.trim());
  expect(countOf(/\| divergence \|.*unmodelled/)).toEqual(["2"]);
  expect(countOf(/\| request \|.*degraded/)).toEqual(["1"]);
  expect(issue).not.toMatch(/nightjar|hologram/i);

  const captured = new CorpusFolder(join(folder, "captured"));
  const updated = await runProgram(["replay", captured.root, "--update"]);
  expect(updated).toMatchObject({ status: 0, stdout: expect.stringContaining("all as recorded") });
  const fixtures = captured.listIds().map((id) => captured.readFixture(id));
  expect(new Set(fixtures.flatMap(({ fixture }) => [...fixture!.rules, ...fixture!.classes]))).toEqual(
    new Set(["A-PAIR-1", "A-PREFILL-21", "unmodelled"]),
  );
  for (const { bytes } of fixtures) expect(Buffer.from(bytes).toString()).not.toMatch(/nightjar|hologram|please/i);
});

const refusals = join(import.meta.dirname, "../corpus/refusals");

test("DG-72 acceptance 7: the falsifier says how many turns that a positional guard refuses are really illegal", async () => {
  const { status, stdout } = await runProgram(["replay", refusals, "--stats", "--json"]);
  const { stats, fixtures } = JSON.parse(stdout) as {
    stats: Record<string, number>;
    fixtures: readonly { id: string; verdict: string; would_refuse: string | null }[];
  };
  const refused = fixtures.filter(({ would_refuse }) => would_refuse !== null);
  const hard = refused.filter(({ verdict }) => verdict === "unsafe");
  expect(status).toBe(0);
  expect(new Set(refused.map(({ would_refuse }) => would_refuse))).toEqual(new Set(["role", "content", "count"]));
  expect(stats).toMatchObject({
    would_refuse: refused.length,
    hard_and_would_refuse: hard.length,
    hard_share_of_would_refuse: hard.length / refused.length,
  });
  const text = await runProgram(["replay", refusals, "--stats"]);
  expect(text.stdout).toContain(`hard and would_refuse ÷ would_refuse: ${hard.length} of ${refused.length} (`);
  // The premise of the proposal: most refusals are of requests that the provider takes.
  expect(hard.length / refused.length).toBeLessThan(0.5);
});
