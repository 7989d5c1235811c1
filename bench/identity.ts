/**
 * What does an identity cost, against npm's canonicalize, `JSON.parse` and SHA-256 of the same bytes? Run:
 * `node bench/identity.ts`. Ratios only: both sides in turn in one process, and the best round of each counts:
 * others use the machine too, and what they take only ever adds.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import canonicalize from "canonicalize";
import { canonicalSha256 } from "../src/lib/canonical-json.ts";
import { chooseAnew, completePlan } from "../src/plan/candidate.ts";
import { decodePlanEvent, encodePlanEvent } from "../src/plan/plan-event.ts";
import { recognisePlan } from "../src/plan/verify-plan.ts";

const ROUNDS = 101;

interface Contest {
  readonly id: string;
  readonly name: string;
  /** The ratio is the time of `left` over the time of `right`. */
  readonly left: () => unknown;
  readonly right: () => unknown;
  /** Calls per round, so that the clock can see them. */
  readonly times?: number;
  readonly max: number;
}

const source = readFileSync(new URL("../node_modules/zod/v4/core/schemas.js", import.meta.url), "latin1");
const results = [...bodyContests("ASCII", "", 0.77), ...bodyContests("mixed", "\u2192", 0.56), ...planContests()].map(
  run,
);
for (const { id, name, ratio, max, faults } of results) {
  const verdict = ratio <= max ? "ok" : "MISSED";
  console.log(
    `${id}  ${name.padEnd(52)} ${ratio.toFixed(3).padStart(7)} <= ${String(max).padEnd(5)} ${verdict.padEnd(7)} ${faults} faults/op`,
  );
}
process.exitCode = results.every(({ ratio, max }) => ratio <= max) ? 0 : 1;

/** @param mark stands in one of ten tool results: one such character makes a whole document two bytes a character */
function bodyContests(name: string, mark: string, max: number): readonly Contest[] {
  const text = JSON.stringify(makeBody(mark));
  const bytes = Buffer.from(text);
  const body = JSON.parse(text);
  const ours = () => canonicalSha256(body);
  return [
    {
      id: "BM-C1",
      name: `identity / canonicalize + hash, 1 MB ${name}`,
      left: ours,
      right: () => hash("sha256", canonicalize(body)!),
      max,
    },
    { id: "BM-C2", name: `identity / JSON.parse, 1 MB ${name}`, left: ours, right: () => JSON.parse(text), max: 2.2 },
    {
      id: "BM-C3",
      name: `identity / SHA-256 of the bytes, 1 MB ${name}`,
      left: ours,
      right: () => hash("sha256", bytes),
      max: 6,
    },
  ];
}

function planContests(): readonly Contest[] {
  const schema = { type: "object", properties: { path: { type: "string", description: source.slice(0, 1200) } } };
  const tools = Array.from({ length: 30 }, (_, n) => {
    return {
      source: "configured" as const,
      spec: { name: `tool_${n}`, version: "1", input_schema: schema, required_scopes: ["a"] },
    };
  });
  const agent = {
    api: "anthropic-messages",
    model: "m",
    framing: source.slice(0, 15_000),
    instructions: "",
    persona: null,
    skills: [],
    tools,
    policyVersion: "1",
    builderVersion: "1",
  } as const;
  const choice = chooseAnew({ agent, scopes: new Set(["a"]), memoryText: "" });
  const plan = completePlan(choice, { session: "s", epoch: 1, agent, authorityScopeHashes: [], now: 0 });
  const { data } = encodePlanEvent({ verb: "create", reason: "session_first_model_request", plan });
  const record = decodePlanEvent(data);
  recognisePlan(record);
  const raw = () => hash("sha256", data);
  return [
    {
      id: "BM-P1",
      name: "check of a warm plan / SHA-256 of its bytes",
      left: () => recognisePlan(record),
      right: raw,
      times: 1000,
      max: 0.01,
    },
  ];
}

function run(contest: Contest) {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.POSITIVE_INFINITY;
  let faults = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.resourceUsage().minorPageFault;
    left = Math.min(left, time(contest.left, contest));
    // The first rounds warm up: code is compiled and memory is touched.
    if (round > ROUNDS / 2) faults += process.resourceUsage().minorPageFault - before;
    right = Math.min(right, time(contest.right, contest));
  }
  const { id, name, max, times = 1 } = contest;
  return { id, name, max, ratio: left / right, faults: Math.round(faults / (ROUNDS / 2) / times) };
}

function time(operation: () => unknown, { times = 1 }: Contest): number {
  const start = performance.now();
  for (let n = 0; n < times; n++) operation();
  return performance.now() - start;
}

/** The shape of a coding session: calls and results in turn, most bytes in long results. */
function makeBody(mark: string): object {
  const messages = Array.from({ length: 200 }, (_, n) => {
    const id = `toolu_${n - (n % 2)}`;
    const text = source.slice((n * 997) % 60_000, ((n * 997) % 60_000) + (n % 8 === 1 ? 28_000 : 3_300));
    return n % 2 === 0
      ? {
          role: "assistant",
          content: [{ type: "tool_use", id, name: "read", input: { path: `src/${n}.ts`, limit: n } }],
        }
      : {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: n % 20 === 1 ? text + mark : text }],
        };
  });
  return { model: "m", max_tokens: 1000, messages };
}
