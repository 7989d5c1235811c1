/**
 * What does an identity cost, against npm's canonicalize, `JSON.parse` and SHA-256 of the same bytes?
 * Run: `node bench/identity.ts [--json]`.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import canonicalize from "canonicalize";
import { canonicalSha256 } from "../src/lib/canonical-json.ts";
import { chooseAnew, completePlan } from "../src/plan/candidate.ts";
import { decodePlanEvent, encodePlanEvent } from "../src/plan/plan-event.ts";
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
  const raced = await race(
    {
      warm: () => repeatNow(1000, () => recognisePlan(record)),
      raw: () => repeatNow(1000, () => hash("sha256", data)),
    },
    { rounds: ROUNDS, warmUps: ROUNDS },
  );
  const [value, detail] = [raced.ratio("warm", "raw"), detailOf(raced, "warm", "raw")];
  return [{ id: "BM-P1", name: "check of a warm plan / SHA-256 of its bytes", value, max: 0.01, detail }];
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
