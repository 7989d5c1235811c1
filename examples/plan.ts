/**
 * An agent loop's first lines: open a store, declare an agent, start a run, and send its plan.
 * Run as: node examples/plan.ts [STORE], for example sqlite:plans.db; run it again, and the plan is kept.
 */
import {
  type AgentDefinition,
  LOCAL_OWNER,
  renderPrefix,
  renderRequest,
  startRun,
  verifyRequest,
} from "../src/engine/plans.ts";
import { openStore } from "../src/store/open-store.ts";

const store = await openStore(process.argv[2] ?? "memory:");
const flag = { name: "mail.flag", version: "1", description: "Flags a mail.", required_scopes: ["mail.write"] };
const agent: AgentDefinition = {
  ...{ api: "anthropic-messages", model: "anthropic:claude-sonnet-5", policyVersion: "1", builderVersion: "1" },
  ...{ framing: "You work for Ada.", instructions: "Answer briefly.", persona: null, skills: [] },
  tools: [{ source: "configured", spec: flag }],
};
const request = { session: "letters", run: `run-${process.pid}`, scopes: ["mail.read", "mail.write"], agent };
const run = await startRun({ store, owner: LOCAL_OWNER }, request);
if (run.kind !== "started") throw new Error(`the tool ${run.tool} is not what this run was started with`);

const turn = { model: "claude-sonnet-5", max_tokens: 1000, messages: [{ role: "user", content: "Hello" }] };
const body = renderRequest(renderPrefix(run.plan, run.snapshotText), turn);
const check = verifyRequest(run.plan, run.snapshotText, Buffer.from(body));
const { epoch, prefixSha256 } = run.plan;
console.log(
  `${run.change}, epoch ${epoch}, prefix ${prefixSha256}, ${run.pins.tools.length} pin, request ${check.kind}`,
);
await store.close();
