/** The composite Action: its step is run as a runner would run it, with the program of this checkout. */
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-action-"));
  await cp(join(import.meta.dirname, "starter"), join(folder, "corpus"), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true }));

/** Takes the command from `action.yml` itself, so that a script that was renamed is noticed. */
async function runStep(corpus: string) {
  const action = await readFile(join(root, "action.yml"), "utf8");
  const step = /^ {6}run: (.*)$/m.exec(action)?.[1];
  const env = {
    PATH: process.env.PATH,
    GITHUB_ACTION_PATH: root,
    GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
    HOLDFAST_COMMAND: `${process.execPath} ${join(root, "src/cli/main.ts")}`,
    CORPUS: corpus,
    SARIF_FILE: "out.sarif",
    JUNIT_FILE: "out.xml",
  };
  return spawnSync("bash", ["-c", step!], { cwd: folder, env, encoding: "utf8" });
}

test("DG-72 the Action passes on a corpus that is as recorded, and writes its reports", async () => {
  const { status, stdout } = await runStep("corpus");
  expect(status).toBe(0);
  expect(stdout).not.toContain("::error");
  expect(JSON.parse(await readFile(join(folder, "out.sarif"), "utf8"))).toMatchObject({ runs: [{ results: [] }] });
  expect(await readFile(join(folder, "out.xml"), "utf8")).toContain('failures="0"');
  expect(await readFile(join(folder, "summary.md"), "utf8")).toContain("all as recorded");
});

test("DG-72 the Action fails with an annotation at the line where a fixture was removed", async () => {
  await rm(join(folder, "corpus/chat/open-call"), { recursive: true });
  const { status, stdout } = await runStep("corpus");
  expect(status).toBe(1);
  expect(stdout).toMatch(/^::error file=corpus\/index\.json,line=\d+,title=replay\/missing_fixture::the index lists/m);
});

test("DG-72 the Action ends with 2 where there is no corpus", async () => {
  const { status, stderr } = await runStep("nowhere");
  expect(status).toBe(2);
  expect(stderr).toContain("nowhere: no such file or folder; name a corpus folder");
});
