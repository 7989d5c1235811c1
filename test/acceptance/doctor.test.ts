/** Acceptance 5 of the proposal: what was unusual is visible in `doctor --issue`, after a restart, over all processes. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startSimulatedProvider } from "../../src/testing/index.ts";
import { runProgram, startProgram } from "../cli/program.ts";
import { assistant, request, text, user } from "../dispatch/anthropic-body.ts";

/** A structure that nobody knows yet: one divergence, sent as it is. */
const UNMODELLED = request([
  user("planted prompt"),
  assistant([text("Look:"), { type: "from_the_future" }]),
  user("on"),
]);

/** A server tool call whose result was lost: nothing that is left can make it legal. */
const doomed = (words: string) =>
  request([
    user(words),
    assistant([{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }]),
    user("and?"),
  ]);

const KEY = "sk-ant-planted0123456789";

test("DG-70 acceptance 5: divergences and degraded turns of two processes are in doctor --issue with their class, after a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-acceptance-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const provider = await startSimulatedProvider();
  onTestFinished(() => provider.close());
  const store = `sqlite:${join(folder, "holdfast.db")}`;

  const both = await Promise.all([startGateway(store, provider.url), startGateway(store, provider.url)]);
  for (const [index, { url }] of both.entries()) {
    expect(await post(url, UNMODELLED)).toBe(200);
    expect(await post(url, doomed(`planted prompt ${index}`))).toBe(400);
  }
  for (const { stop } of both) await stop();
  const restarted = await startGateway(store, provider.url);
  expect(await post(restarted.url, UNMODELLED)).toBe(200);
  await restarted.stop();

  const { status, stdout } = await runProgram(["doctor", "--issue", "--port", "1", "--store", store], { cwd: folder });
  expect(status, stdout).toBe(1);
  expect(stdout).toContain("| unmodelled | 3 |");
  expect(stdout).toMatch(/\| turns \| warn \| 5 requests: .* 2 degraded/);
  expect(stdout).toMatch(
    /\| hard degraded \| anthropic anthropic-messages anthropic claude-sonnet-4-5 \| degraded \| A-SRV-8 at \/messages\/1\/content\/0 /,
  );
  expect(stdout).toMatch(/\| request \| .*outcome=degraded verdict=unsafe \| 2 \|/);
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(60_000);
  for (const planted of ["planted", folder, provider.url, "127.0.0.1"]) expect(stdout).not.toContain(planted);
});

interface RunningProgram {
  readonly url: string;
  stop(): Promise<void>;
}

/** A process of its own. */
async function startGateway(store: string, provider: string): Promise<RunningProgram> {
  const words = ["start", "--json", "--port", "0", "--store", store, "--upstream", `anthropic=${provider}`];
  const { child, ended, output } = startProgram(words);
  onTestFinished(() => void child.kill("SIGKILL"));
  while (!output().endsWith("}\n")) {
    const failed = await Promise.race([ended, once(child.stdout, "data").then(() => null)]);
    if (failed !== null) throw new Error(failed.stderr);
  }
  const { port } = JSON.parse(output()) as { port: number };
  const stop = async () => {
    child.kill("SIGTERM");
    expect((await ended).status).toBe(0);
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

async function post(gateway: string, body: object): Promise<number> {
  const answer = await fetch(`${gateway}/anthropic/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": KEY },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}
