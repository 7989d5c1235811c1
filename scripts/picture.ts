/** Takes the picture of the status page that the README shows: a short session with a repair and a moved prefix. */
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { readVersion } from "../src/cli/version.ts";
import { statusPage } from "../src/dashboard/page.ts";
import { createEngine } from "../src/engine/create-engine.ts";
import { createLog } from "../src/gateway/log.ts";
import { DEFAULT_PORT, startGateway } from "../src/gateway/serve.ts";
import { openMemoryStore } from "../src/store/memory/open-store.ts";
import { startSimulatedProvider } from "../src/testing/index.ts";

const FILE = fileURLToPath(new URL("../docs/status-page.png", import.meta.url));
const SIZE = { width: 1280, height: 660 };

const provider = await startSimulatedProvider();
const engine = await createEngine({ store: openMemoryStore(), hashKey: new Uint8Array(32) });
const gateway = await startGateway({
  engine,
  port: DEFAULT_PORT,
  upstreams: [{ name: "anthropic", url: provider.url, backend: "anthropic" }],
  log: createLog({ level: "silent" }),
  page: statusPage,
  version: readVersion(),
});
const browser = await chromium.launch({
  executablePath: process.env.HOLDFAST_TEST_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  await playSession();
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light" });
  await page.goto(gateway.baseUrl);
  await page.getByText("prefix moved").first().waitFor();
  await page.screenshot({ path: FILE });
  console.log(FILE);
} finally {
  await browser.close();
  await gateway.close(0);
  await engine.close();
  await provider.close();
}

async function playSession(): Promise<void> {
  const tools = ["read", "write", "search"].map((name) => ({
    name,
    description: `${name} a file of the project. ${"Paths are relative to its root. ".repeat(60)}`,
    input_schema: { type: "object", properties: { path: { type: "string" } } },
  }));
  const call = { type: "tool_use", id: "toolu_01", name: "read", input: { path: "README.md" } };
  const result = { type: "tool_result", tool_use_id: "toolu_01", content: "# Holdfast" };
  const history: object[] = [{ role: "user", content: "What does the README say?" }];
  await send({ tools }, history);
  history.push({ role: "assistant", content: [call] }, { role: "user", content: [result] });
  await send({ tools }, history);
  history.push(
    { role: "assistant", content: [{ ...call, id: "toolu_02" }] },
    { role: "user", content: "Stop. Say it shorter." },
  );
  await send({ tools }, history);
  history.push({ role: "assistant", content: "It holds on." }, { role: "user", content: "And the licence?" });
  await send({ tools: tools.toReversed() }, history);
  history.push({ role: "assistant", content: "MIT." }, { role: "user", content: "Thank you." });
  await send({ tools: tools.toReversed() }, history);
}

async function send(more: object, messages: readonly object[]): Promise<void> {
  const marked = messages.map((row, at) => (at === messages.length - 1 ? withMarker(row) : row));
  const answer = await fetch(`${gateway.baseUrl}/anthropic/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "none" },
    body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 900, ...more, messages: marked }),
  });
  await answer.text();
}

function withMarker(row: object): object {
  const { content } = row as { content: string | object[] };
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const last = { ...blocks.at(-1), cache_control: { type: "ephemeral" } };
  return { ...row, content: [...blocks.slice(0, -1), last] };
}
