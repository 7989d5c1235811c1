import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openProcessEngine } from "./process-engine.ts";
import { wrapFetch } from "./wrap-fetch.ts";

function temporaryPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return join(folder, "holdfast.db");
}

async function open(env: NodeJS.ProcessEnv, storeWaitMs = 30_000) {
  const opened = await openProcessEngine(env, storeWaitMs);
  onTestFinished(() => opened.engine.close());
  return opened;
}

test("HO-5 the settings are those of the program", async () => {
  const env = {
    HOLDFAST_STORE: "memory:",
    HOLDFAST_MODE: "observe",
    HOLDFAST_UPSTREAMS: "openai=http://a vllm=http://b x",
  };
  const { settings, notes } = await open(env);
  expect(settings).toEqual({
    storeUrl: "memory:",
    mode: "observe",
    upstreams: [
      { name: "openai", url: "http://a", backend: "openai" },
      { name: "vllm", url: "http://b" },
    ],
    captureBodies: null,
  });
  expect(notes).toEqual([]);
});

test("HO-5, DG-74 a store that cannot be used is named, and the engine works without it", async () => {
  const path = temporaryPath();
  await open({ HOLDFAST_STORE: `sqlite:${path}` }).then(({ engine }) => engine.close());
  const holder = new DatabaseSync(`${path}.lock`);
  holder.exec("begin exclusive");
  const cases = [
    { url: "floppy:", note: /^The store "floppy:" is not known: .* Going on without a store\.$/ },
    { url: "sqlite:/dev/null/holdfast.db", note: /Going on without a store/ },
    { url: `sqlite:${path}`, note: /another process is still opening it .* Going on without a store/, waitMs: 4_000 },
    { url: `sqlite:${path}.late`, note: /^The store did not open within 1 ms\./, waitMs: 1 },
  ];
  for (const { url, note, waitMs } of cases) {
    const { engine, notes } = await open({ HOLDFAST_STORE: url }, waitMs);
    expect(notes[0], url).toMatch(note);
    engine.count("lane", { join: "opens" });
    expect(engine.counters()).toHaveLength(1);
  }
  holder.close();
});

test("DG-71 a host keeps redacted bodies where a folder is named, and none without", async () => {
  const corpus = join(dirname(temporaryPath()), "corpus");
  const unknown = [{ role: "assistant", content: [{ type: "from_the_future" }] }];
  const messages = [{ role: "user", content: "planted words" }, ...unknown, { role: "user", content: "on" }];
  const body = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 9, messages });
  for (const env of [{ HOLDFAST_STORE: "memory:" }, { HOLDFAST_STORE: "memory:", HOLDFAST_CAPTURE_BODIES: corpus }]) {
    const { engine } = await openProcessEngine(env, 10_000);
    const inner: typeof fetch = async () => new Response("{}", { headers: { "content-type": "application/json" } });
    await wrapFetch(inner, { engine })("https://api.anthropic.com/v1/messages", { method: "POST", body });
    await engine.close();
  }
  const files = readdirSync(corpus, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("request.json"),
  );
  expect(files).toHaveLength(1);
});
