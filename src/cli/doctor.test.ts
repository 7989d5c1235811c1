import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkRuntime, type Diagnosis, diagnose } from "./doctor-checks.ts";
import { describeIssue, redact } from "./doctor-issue.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-doctor-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function check(
  options: { store?: string; port?: number; path?: string },
  expected: Readonly<Record<string, string>>,
): Promise<Diagnosis> {
  const { store = "memory:", port = 1, path = "" } = options;
  const diagnosis = await diagnose({ store, host: "127.0.0.1", port, env: { PATH: path } });
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

test("an agent on the PATH is shown with the version that it says, also when it says none", async () => {
  const path = join(folder, "bin");
  await mkdir(path);
  for (const [name, text] of [
    ["pi", "echo pi 1.6.0"],
    ["codex", "exit 1"],
  ] as const) {
    await writeFile(join(path, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(path, name), 0o755);
  }
  const { checks } = await check({ path }, { host_pi: "ok", host_codex: "ok" });
  expect(checks.map(({ title }) => title)).toContain("Pi 1.6.0");
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
  await check({ port }, { gateway: "warn" });
});

const secrets = { home: "/house/ada", user: "ada", machine: "lovelace" };

test("a public report holds no home, user, machine or key", () => {
  for (const [text, shown] of [
    ["the store /house/ada/x.db", "the store ~/x.db"],
    ["by ada on lovelace", "by [user] on [machine]"],
    ["key sk-ant-REDACTED", "key [key]"],
    ["postgres://ada:secret@db/x", "postgres://[user]@db/x"],
    ["0123456789abcdef0123456789abcdef0123456789abcdef", "[key]"],
    ["A-PAIR-1 at /messages/3/content/0", "A-PAIR-1 at /messages/3/content/0"],
  ] as const) {
    expect(redact(text, secrets)).toBe(shown);
  }
});

test("a public report stays below what an issue takes", () => {
  const counters = Array.from({ length: 5_000 }, (_, index) => ({
    name: "verdict",
    labels: { rule: `A-${index}` },
    count: index,
  }));
  const report = describeIssue("1.0.0", { checks: [], counters }, secrets);
  expect(Buffer.byteLength(report)).toBeLessThanOrEqual(60_000);
  expect(report).toContain("rule=A-1 ");
  expect(report.endsWith("(cut)\n")).toBe(true);
});
