/**
 * One runtime, one locale, one time zone: plans the house in every order and through every copy, and prints the distinct
 * identities. Run as: node sweep-process.ts ROUNDS FAULT STORE_URL
 */
import { startRun } from "../../src/engine/start-run.ts";
import { canonicalJson } from "../../src/lib/canonical-json.ts";
import { sortByCodePoint } from "../../src/lib/code-point-order.ts";
import { sha256Hex } from "../../src/lib/sha256.ts";
import type { AgentDefinition } from "../../src/plan/agent-definition.ts";
import { chooseAnew, completePlan, renderWireRows } from "../../src/plan/candidate.ts";
import type { ContextPlan } from "../../src/plan/context-plan.ts";
import { identify } from "../../src/plan/identity.ts";
import { decodePlanEvent, encodePlanEvent } from "../../src/plan/plan-event.ts";
import { openStore } from "../../src/store/open-store.ts";
import { HOUSE, MEMORY, SCOPES } from "./house.ts";
import { createRandom, permute, reorderKeys, shuffle, sortAsJsonb } from "./shuffle.ts";
import type { Fault, SweepAnswer } from "./sweep.ts";

const [rounds = "20", fault = "none", storeUrl = ""] = process.argv.slice(2);

/** `JSON.parse` would round the one large number of the house. */
const LARGE = "9223372036854775807";

/** How the identity is taken: rightly, or with a mistake that the sweep must notice. */
const IDENTITY: Readonly<Record<Fault, (plan: ContextPlan, agent: AgentDefinition) => string>> = {
  none: (plan) => {
    const wire = sha256Hex(canonicalJson(renderWireRows(plan, MEMORY)));
    return `${Object.values(identify(plan.prefix)).join(" ")} ${wire}`;
  },
  locale_order: (plan) => {
    const compare = "localeCompare";
    return sha256Hex(canonicalJson(plan.prefix.tools.map(({ name }) => name).sort((a, b) => a[compare](b))));
  },
  unsorted_set: (_plan, agent) => sha256Hex(canonicalJson([...specOf(agent, 0).required_scopes])),
  stringify_sorted: (plan) => sha256Hex(JSON.stringify(reorderKeys(plan.prefix, sortByCodePoint), spellDigits)),
};

const identities = new Set<string>();
const identityOf = IDENTITY[fault as Fault];
for (const scopes of permute(SCOPES)) note(withScopes(HOUSE, scopes));
for (let seed = 0; seed < Number(rounds); seed++) note(stir(HOUSE, createRandom(seed)), createRandom(-seed));
const change = storeUrl === "" ? null : await startOnStore(storeUrl);
process.stdout.write(JSON.stringify({ identities: [...identities], change } satisfies SweepAnswer));

function note(agent: AgentDefinition, random?: () => number): void {
  const choice = chooseAnew({ agent, scopes: new Set(SCOPES), memoryText: MEMORY });
  const stamp = { session: "main", epoch: 1, agent, authorityScopeHashes: null, now: Date.now() };
  const plan = completePlan(choice, stamp);
  identities.add(identityOf(plan, agent));
  if (random === undefined) return;
  for (const copy of reload(plan, random)) identities.add(identityOf(copy, agent));
}

/** The plan as its event gives it back, and as a database does that orders keys its own way. */
function reload(plan: ContextPlan, random: () => number): ContextPlan[] {
  const { data } = encodePlanEvent({ verb: "create", reason: "session_first_model_request", plan });
  const orders = [sortAsJsonb, (names: string[]) => shuffle(names, random)];
  const event: unknown = JSON.parse(Buffer.from(data).toString().replaceAll(LARGE, `"${LARGE}"`));
  const texts = orders.map((order) => JSON.stringify(reorderKeys(event, order)).replaceAll(`"${LARGE}"`, LARGE));
  return [data, ...texts.map((text) => Buffer.from(text))].map((bytes) => decodePlanEvent(bytes).plan);
}

function spellDigits(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

interface HouseSpec {
  readonly required_scopes: Iterable<string>;
}

function specOf(agent: AgentDefinition, index: number): HouseSpec {
  const tools = [...agent.tools].map((tool) => tool.spec as HouseSpec & { name: string });
  return tools.find(({ name }) => name === (HOUSE.tools[index]!.spec as { name: string }).name)!;
}

function withScopes(agent: AgentDefinition, scopes: readonly string[]): AgentDefinition {
  const tools = agent.tools.map((tool) => ({
    ...tool,
    spec: { ...(tool.spec as object), required_scopes: new Set(scopes) },
  }));
  return { ...agent, tools };
}

/** Registry, catalogue, scopes and every schema in another order. */
function stir(agent: AgentDefinition, random: () => number): AgentDefinition {
  const tools = withScopes(agent, shuffle(SCOPES, random)).tools.map((tool) => ({
    ...tool,
    spec: structuredClone(reorderKeys(tool.spec, (names) => shuffle(names, random))),
  }));
  return { ...agent, tools: shuffle(tools, random), skills: shuffle(agent.skills, random) };
}

/** A message of one session: the first process creates its plan, every later one must keep it. */
async function startOnStore(url: string): Promise<string> {
  const store = await openStore(url);
  const scopes = shuffle(SCOPES, createRandom(process.pid));
  const agent = stir(HOUSE, createRandom(process.pid));
  const run = `run-${process.pid}-${process.hrtime.bigint()}`;
  const request = { session: "main", run, scopes, agent, memoryText: MEMORY };
  const started = await startRun({ store, owner: { tenant: "house", principal: "ada" } }, request);
  await store.close();
  return started.kind === "started" ? started.change : started.kind;
}
