/**
 * What does an identity cost, against npm's canonicalize, `JSON.parse` and SHA-256 of the same bytes?
 * Run: `node bench/identity.ts [--json]`.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import canonicalize from "canonicalize";
import { readByDifference, readWhole } from "../src/dispatch/body-reader.ts";
import { comparePlanned } from "../src/engine/planned-prefix.ts";
import { canonicalSha256 } from "../src/lib/canonical-json.ts";
import { commonPrefixLength } from "../src/lib/common-prefix.ts";
import { chooseAnew, completePlan } from "../src/plan/candidate.ts";
import type { ContextPlan } from "../src/plan/context-plan.ts";
import { decodePlanEvent, encodePlanEvent } from "../src/plan/plan-event.ts";
import { renderPrefix, renderRequest } from "../src/plan/render.ts";
import { recognisePlan } from "../src/plan/verify-plan.ts";
import { once, race, repeatNow } from "./race.ts";
import { detailOf, type Measurement, report } from "./report.ts";

const ROUNDS = 41;

const source = readFileSync(new URL("../node_modules/zod/v4/core/schemas.js", import.meta.url), "latin1");

report("identity", [
  ...(await bodies("ASCII", "", 0.77)),
  ...(await bodies("mixed", "\u2192", 0.56)),
  ...(await plans()),
]);

/**
 * @param mark stands in one of ten tool results: one such character makes a whole document two bytes a character
 * @param canonicalizeMax on a machine whose page faults are cheap; where they are dear it is half of that
 */
async function bodies(kind: string, mark: string, canonicalizeMax: number): Promise<readonly Measurement[]> {
  const text = JSON.stringify(makeBody(mark));
  const bytes = Buffer.from(text);
  const body = JSON.parse(text);
  const raced = await race(
    {
      identity: once(() => canonicalSha256(body)),
      canonicalize: once(() => hash("sha256", canonicalize(body)!)),
      parse: once(() => JSON.parse(text)),
      raw: once(() => hash("sha256", bytes)),
    },
    { rounds: ROUNDS, warmUps: ROUNDS },
  );
  const against = (id: string, name: string, other: "canonicalize" | "parse" | "raw", max: number): Measurement => ({
    id,
    name: `identity / ${name}, 1 MB ${kind}`,
    value: raced.ratio("identity", other),
    max,
    detail: detailOf(raced, "identity", other),
  });
  return [
    against("BM-C1", "canonicalize + hash", "canonicalize", canonicalizeMax),
    against("BM-C2", "JSON.parse", "parse", 2.2),
    against("BM-C3", "SHA-256 of the bytes", "raw", 6),
    { id: "BM-C4", name: `page faults of an identity, 1 MB ${kind}`, value: raced.faults("identity"), max: 0 },
  ];
}

async function plans(): Promise<readonly Measurement[]> {
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
  const bytesCheck = byteCheck(plan);
  const raced = await race(
    {
      warm: () => repeatNow(1000, () => recognisePlan(record)),
      bytes: () => repeatNow(1000, bytesCheck),
      raw: () => repeatNow(1000, () => hash("sha256", data)),
    },
    { rounds: ROUNDS, warmUps: ROUNDS },
  );
  const against = (id: string, name: string, side: "warm" | "bytes", max: number): Measurement => ({
    id,
    name: `${name} / SHA-256 of its bytes`,
    value: raced.ratio(side, "raw"),
    max,
    detail: detailOf(raced, side, "raw"),
  });
  return [
    against("BM-P1", "check of a warm plan", "warm", 0.01),
    against("BM-P2", "check of a request's bytes against a warm plan", "bytes", 0.05),
  ];
}

/** The next turn of a session against its plan: the bytes of the prefix are compared, then what the reader kept of them. */
function byteCheck(plan: ContextPlan): () => void {
  const prefix = renderPrefix(plan, null);
  const body = (turns: number) =>
    Buffer.from(renderRequest(prefix, { messages: Array(turns).fill({ role: "user", content: "on" }) }));
  const [first, second] = [body(1), body(2)];
  const before = readWhole(first, JSON.parse(first.toString()));
  const next = readByDifference(second, before)!;
  const run = { plan, snapshotText: null };
  if (comparePlanned(run, before).length > 0) throw new Error("the request carries its plan");
  const prefixBytes = second.indexOf('"messages"');
  return () => {
    if (commonPrefixLength(first.subarray(0, prefixBytes), second.subarray(0, prefixBytes)) < prefixBytes)
      throw new Error("the prefix is the same");
    comparePlanned(run, next);
  };
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
