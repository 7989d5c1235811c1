/** The status page as a person sees it: turns come in, nothing that a client sends becomes markup, modes can be switched. */
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { statusPage } from "../../src/dashboard/page.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import { createLog } from "../../src/gateway/log.ts";
import { startGateway } from "../../src/gateway/serve.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { startSimulatedProvider } from "../../src/testing/index.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env.HOLDFAST_TEST_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});

afterAll(async () => {
  await browser.close();
});

async function openDashboard() {
  const provider = await startSimulatedProvider();
  const engine = await createEngine({ store: openMemoryStore(), hashKey: new Uint8Array(32) });
  const upstreams = [{ name: "anthropic", url: provider.url, backend: "anthropic" }] as const;
  const log = createLog({ level: "silent" });
  const gateway = await startGateway({ engine, port: 0, upstreams, log, page: statusPage });
  const page: Page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on(
    "request",
    (request) => request.url().startsWith(gateway.baseUrl) || complaints.push(`foreign ${request.url()}`),
  );
  onTestFinished(async () => {
    await page.close();
    await gateway.close(0);
    await engine.close();
    await provider.close();
  });
  const post = (model: string, messages: readonly object[]) =>
    fetch(`${gateway.baseUrl}/anthropic/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "planted-key" },
      body: JSON.stringify({ model, max_tokens: 9, messages }),
    }).then((answer) => answer.text());
  return { gateway, page, post, complaints };
}

const broken = [
  { role: "user", content: "planted words" },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
  { role: "user", content: "stop" },
];

test("GW-11 the page shows turns, what was repaired and by which rule, and refreshes itself", async () => {
  const { gateway, page, post, complaints } = await openDashboard();
  await post("claude-sonnet-4-5", broken.slice(0, 1));
  await page.goto(gateway.baseUrl);
  await page.getByText("admit", { exact: true }).first().waitFor();
  await post("claude-sonnet-4-5", broken);
  await page.getByText("repaired", { exact: true }).first().waitFor();
  const text = await page.locator("body").innerText();
  expect(text).toContain("A-PAIR-1");
  expect(text).not.toContain("planted");
  expect(complaints).toEqual([]);
});

test("GW-11 what a client names is text, never markup", async () => {
  const { gateway, page, post, complaints } = await openDashboard();
  await post('<img src=x onerror="document.title=`owned`">', broken.slice(0, 1));
  await page.goto(gateway.baseUrl);
  await page.getByText("<img src=x").first().waitFor();
  expect(await page.title()).not.toBe("owned");
  expect(await page.locator("img").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("GW-11 what has not changed stays marked while the page refreshes, and a long list says that there is more", async () => {
  const { gateway, page, post } = await openDashboard();
  await page.goto(gateway.baseUrl);
  await page.getByText("No turn yet.").waitFor();
  await page.evaluate("document.querySelector('#upstreams code').dataset.marked = 'yes'");
  for (let turn = 0; turn < 51; turn++) await post(`claude-${turn}`, broken.slice(0, 1));
  await page.getByText("The newest 50 of 51; all of them are at api/turns.").waitFor();
  expect(await page.locator("#turns tr").count()).toBe(50);
  expect(await page.locator("#upstreams code[data-marked]").count()).toBe(1);
});

test("GW-11 the page fits a narrow window and has both colour schemes", async () => {
  const { gateway, page, post } = await openDashboard();
  await post("claude-sonnet-4-5", broken);
  await page.setViewportSize({ width: 390, height: 800 });
  const colours: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(gateway.baseUrl);
    await page.getByText("A-PAIR-1").first().waitFor();
    colours.push(await page.evaluate<string>("getComputedStyle(document.body).backgroundColor"));
  }
  expect(new Set(colours).size).toBe(2);
  const overflow = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect(overflow).toBeLessThanOrEqual(0);
  // Nothing stands beside the screen: what became of a turn, and why, is seen without scrolling sideways.
  for (const text of ["repaired", "A-PAIR-1"]) {
    const box = await page.locator("#turns").getByText(text).first().boundingBox();
    expect(box!.x + box!.width, text).toBeLessThanOrEqual(390);
  }
  expect(
    await page
      .locator("#turns td")
      .last()
      .evaluate((cell) => cell.dataset.name),
  ).toBe("Note");
  if (process.env.HOLDFAST_TEST_SCREENSHOT) await page.screenshot({ path: process.env.HOLDFAST_TEST_SCREENSHOT });
});
