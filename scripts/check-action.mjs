// Plays the composite Action on a corpus that is as recorded, and on ones where something has changed. Ends with a line
// `N passed, N failed`.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ACTION_TOOLS, loadActions } from "./composite-action.mjs";
import { findSarifFaults, installTools, runTool, SARIF_VALIDATOR } from "./npm-tools.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "holdfast-action-"));
const counts = { passed: 0, failed: 0 };

/** What is planted in a workspace or its program, and what has to be found. */
const CHANGES = [
  ["a changed rule", "replay/changed_rules", plantRuleChange],
  ["a new class of divergence", "replay/unseen_class", forgetClass],
  ["a removed fixture", "replay/missing_fixture", removeFixture],
];

try {
  installTools(folder, [SARIF_VALIDATOR, ...ACTION_TOOLS]);
  runTool(root, "npm", ["pack", "--silent", "--pack-destination", folder]);
  const tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".tgz")),
  );
  const actions = await loadActions(folder);
  const action = actions.readAction(join(root, "action.yml"));
  const workflow = actions.readWorkflow(join(root, ".github/workflows/replay-example.yml"));
  const play = (workspace, inputs) =>
    actions.play(action, { inputs: { corpus: "corpus", ...inputs }, workspace: workspace.path, actionPath: root });
  check("the example workflow gives the Action what it takes", () => checkInputs(action, workflow));
  check("passes with the package where all is as recorded", () => {
    const workspace = makeWorkspace("as recorded", tarball);
    expectFine(play(workspace, { version: `file:${tarball}` }));
  });
  for (const [name, finding, plant] of CHANGES) {
    check(`fails where there is ${name}`, () => {
      const workspace = makeWorkspace(name, tarball);
      plant(workspace);
      expectFinding(
        workspace,
        finding,
        play(workspace, { command: `${process.execPath} ${workspace.program}/main.js` }),
      );
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;

function check(name, body) {
  try {
    body();
    counts.passed += 1;
    console.log(`ok ${name}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`not ok ${name}: ${error.message}`);
  }
}

function checkInputs(action, workflow) {
  const known = new Set(action.inputs.map(({ id }) => id));
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  const own = steps.filter(({ uses }) => uses === "./");
  if (own.length === 0) throw new Error("no step uses the Action");
  const given = own.flatMap((step) => Object.keys(step.with));
  const unknown = given.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`no input is called ${unknown.join(", ")}`);
  const missing = action.inputs.filter(({ id, required }) => required && !given.includes(id));
  if (missing.length > 0) throw new Error(`${missing[0].id} is required`);
}

/** The corpus of this repository beside a program of its own, so that either can be changed. */
function makeWorkspace(name, tarball) {
  const path = join(folder, name.replaceAll(" ", "-"));
  mkdirSync(path);
  cpSync(join(root, "test/corpus/starter"), join(path, "corpus"), { recursive: true });
  installTools(path, [tarball]);
  return { path, corpus: join(path, "corpus"), program: join(path, "node_modules/holdfast/dist/cli") };
}

/** As if a change of the rules had lost one: calls without a result are no longer found. */
function plantRuleChange({ program }) {
  edit(join(program, "replay.js"), /detect: openCalls,/, "detect: () => [],");
}

/** As if no request had held anything unknown before. */
function forgetClass({ corpus }) {
  edit(join(corpus, "index.json"), /,"unmodelled"/, "");
}

function removeFixture({ corpus }) {
  rmSync(join(corpus, "chat/open-call"), { recursive: true });
}

function edit(file, before, after) {
  const text = readFileSync(file, "utf8");
  if (!before.test(text)) throw new Error(`${file} holds no ${before}`);
  writeFileSync(file, text.replace(before, after));
}

function expectFine({ status, printed, summary }) {
  if (status !== 0 || printed.includes("::error")) throw new Error(`ended with ${status}: ${printed}`);
  if (!summary.includes("all as recorded")) throw new Error(`the summary is ${summary}`);
}

function expectFinding({ path }, finding, { status, printed }) {
  if (status !== 1) throw new Error(`ended with ${status}: ${printed}`);
  if (!new RegExp(`^::error file=corpus/.*,line=\\d+,title=${finding}::`, "m").test(printed))
    throw new Error(`no annotation of ${finding}: ${printed}`);
  const faults = findSarifFaults(folder, join(path, "holdfast-replay.sarif"));
  if (faults.length > 0) throw new Error(faults.join("; "));
}
