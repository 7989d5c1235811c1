import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Diagnosis } from "../report/doctor/diagnosis.ts";
import { openStore } from "../store/open-store.ts";
import { checkRuntime, diagnose } from "./doctor-checks.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-doctor-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function check(
  options: { store?: string; port?: number; path?: string; home?: string },
  expected: Readonly<Record<string, string>>,
): Promise<Diagnosis> {
  const { store = "memory:", port = 1, path = "", home = join(folder, "nobody") } = options;
  const where = { env: { PATH: path }, home, folder: home };
  const diagnosis = await diagnose({ store, whose: {}, host: "127.0.0.1", port, ...where });
  for (const [id, status] of Object.entries(expected)) {
    expect(diagnosis.checks.find((one) => one.id === id)?.status, id).toBe(status);
  }
  for (const { status, advice } of diagnosis.checks) expect(advice === null).toBe(status === "ok");
  return diagnosis;
}

test("a runtime below the floor fails, and Bun is a runtime too", () => {
  expect(checkRuntime({ node: "22.18.0" }).status).toBe("fail");
  expect(checkRuntime({ node: "22.19.0" }).status).toBe("ok");
  expect(checkRuntime({ node: "26.1.0" }).status).toBe("ok");
  expect(checkRuntime({ node: "24.3.0", bun: "1.4.5" }).title).toContain("Bun 1.4.5");
});

test("a store that is not there yet is not made by looking at it", async () => {
  const path = join(folder, "none", "holdfast.db");
  const { checks } = await check({ store: `sqlite:${path}` }, { store_integrity: "ok" });
  expect(checks.find(({ id }) => id === "store_integrity")?.title).toContain("no store yet");
  await expect(rm(path)).rejects.toThrow("ENOENT");
});

test("DG-74 a store that another program has locked is looked at all the same", async () => {
  const path = join(folder, "locked.db");
  await (await openStore(`sqlite:${path}`)).close();
  const lock = new DatabaseSync(path);
  lock.exec("begin immediate");
  await check({ store: `sqlite:${path}` }, { store_integrity: "ok", store_lock: "warn" });
  lock.close();
  await check({ store: `sqlite:${path}` }, { store_integrity: "ok", store_lock: "ok" });
});

test("an agent is shown with its version, and with the way on which Holdfast is in it", async () => {
  const home = join(folder, "home");
  const path = join(folder, "bin");
  await mkdir(path);
  for (const [name, text] of [
    ["pi", "echo pi 1.6.0"],
    ["claude", "echo 2.1.306"],
    ["codex", "exit 1"],
    ["omp", "echo omp/18.2.3"],
  ] as const) {
    await writeFile(join(path, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(path, name), 0o755);
  }
  await mkdir(join(home, ".pi", "agent"), { recursive: true });
  await writeFile(join(home, ".pi", "agent", "settings.json"), '{"packages": ["npm:holdfast"]}');
  await mkdir(join(home, ".omp", "agent"), { recursive: true });
  await writeFile(join(home, ".omp", "agent", "config.yml"), "extensions:\n  - ~/gone/holdfast\n");
  await mkdir(join(home, ".claude"), { recursive: true });
  await writeFile(
    join(home, ".claude", "settings.json"),
    '{"env": {"ANTHROPIC_BASE_URL": "http://localhost:1/anthropic"}}',
  );
  const expected = { host_pi: "ok", host_codex: "ok", host_claude: "ok", host_omp: "warn", gateway: "warn" };
  const titles = (await check({ path, home }, expected)).checks.map(({ title }) => title);
  expect(titles).toContain("Pi 1.6.0, through the extension");
  expect(titles).toContain("Claude Code 2.1.306, through the gateway");
  expect(titles).toContain("Codex (it does not say its version), without Holdfast");
  expect(titles).toContain("OMP 18.2.3, with an extension of Holdfast that is not there");
  expect(titles).toContain("no gateway answers, but Claude Code is set to use it");
});

test("a gateway is told apart from something else and from nothing", async () => {
  const answers = [{ name: "holdfast", version: "1.2.3" }, { name: "else" }];
  const server = createServer((_, response) => response.end(JSON.stringify(answers.shift())));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await check({ port }, { gateway: "ok" });
  await check({ port }, { gateway: "warn" });
  server.close();
  server.closeAllConnections();
  await check({ port }, { gateway: "ok" });
});
