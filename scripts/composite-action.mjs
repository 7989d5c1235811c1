// Plays a composite Action as a runner does: GitHub's own parser reads it, GitHub's own evaluator answers its expressions.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

export const ACTION_TOOLS = ["@actions/workflow-parser@0.3.61", "@actions/expressions@0.3.61"];

/** @param folder where {@link ACTION_TOOLS} are installed */
export async function loadActions(folder) {
  const { parseAction, convertActionTemplate, parseWorkflow, expressions, NoOperationTraceWriter } =
    await joinTools(folder);
  const parse = (parser, path) => {
    const file = { name: basename(path), content: readFileSync(path, "utf8") };
    const { context, value } = parser(file, new NoOperationTraceWriter());
    const faults = context.errors.getErrors().map(({ message }) => message);
    if (faults.length > 0) throw new Error(`${file.name}: ${faults.join("; ")}`);
    return { context, value };
  };
  return {
    readAction(path) {
      const { context, value } = parse(parseAction, path);
      return convertActionTemplate(context, value);
    },
    /** As plain values: what a step hands over does not come with the converted form. */
    readWorkflow: (path) => plainOf(parse(parseWorkflow, path).value),
    play: (action, run) => play(expressions, action, run),
  };
}

function plainOf(token) {
  if (token.map) return Object.fromEntries(token.map.map(({ key, value }) => [key.value, plainOf(value)]));
  return token.seq ? token.seq.map(plainOf) : (token.expr ?? token.value);
}

/** Both are written for bundlers: Node does not import their JSON. */
async function joinTools(folder) {
  const [input, file] = [join(folder, "tools.js"), join(folder, "joined-tools.mjs")];
  writeFileSync(
    input,
    `export * from "@actions/workflow-parser";
     export { parseAction, convertActionTemplate } from "@actions/workflow-parser/actions/index";
     export * as expressions from "@actions/expressions";`,
  );
  const bundle = await rolldown({ input, platform: "node" });
  await bundle.write({ file, format: "esm" });
  return import(pathToFileURL(file).href);
}

/**
 * The `run` steps, until one fails. What a step `uses` is another's program, and is not run.
 * @param run `inputs` as `with` gives them, `workspace` the folder of the job, `actionPath` the folder of the Action
 * @returns the exit code of the job, what it printed, and the summary it wrote
 */
function play(expressions, action, { inputs, workspace, actionPath }) {
  const context = dictionary(expressions.data, { inputs: { ...defaultsOf(action), ...inputs } });
  const textOf = (token) => (token.expr === undefined ? token.value : evaluate(expressions, token.expr, context));
  const summary = join(workspace, "summary.md");
  writeFileSync(summary, "");
  let [status, printed] = [0, ""];
  for (const { run, env } of action.runs.steps) {
    if (run === undefined || status !== 0) continue;
    const own = (env?.map ?? []).map(({ key, value }) => [key.value, textOf(value)]);
    const result = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", textOf(run)], {
      cwd: workspace,
      encoding: "utf8",
      env: {
        ...process.env,
        ...{ GITHUB_WORKSPACE: workspace, GITHUB_ACTION_PATH: actionPath, GITHUB_STEP_SUMMARY: summary },
        ...Object.fromEntries(own),
      },
    });
    status = result.status;
    printed += result.stdout + result.stderr;
  }
  return { status, printed, summary: readFileSync(summary, "utf8") };
}

function defaultsOf({ inputs }) {
  return Object.fromEntries(inputs.map((input) => [input.id, input.default?.value ?? ""]));
}

function evaluate({ Lexer, Parser, Evaluator }, text, context) {
  const parsed = new Parser(new Lexer(text).lex().tokens, ["inputs"], []).parse();
  return new Evaluator(parsed, context).evaluate().coerceString();
}

function dictionary(data, record) {
  const pairs = Object.entries(record).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? new data.StringData(value) : dictionary(data, value),
  }));
  return new data.Dictionary(...pairs);
}
