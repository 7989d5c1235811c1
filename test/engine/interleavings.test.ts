/**
 * Agents behind one engine, in any order: a main conversation, a sub-agent with its session id, one without a session id, and
 * another account, who all begin with the same words. Calls are interrupted, results come late, titles are made while tools
 * run, histories are compacted and branched.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { createProviderContext, validateAnthropic } from "../../src/testing/index.ts";
import { assistant, type BodyRow, call, request, result, text, user } from "../dispatch/anthropic-body.ts";

type Headers = Readonly<Record<string, string>>;

const AGENTS: readonly Headers[] = [
  { "x-api-key": "one", "x-claude-code-session-id": "session" },
  { "x-api-key": "one", "x-claude-code-session-id": "session" },
  { "x-api-key": "one" },
  { "x-api-key": "two", "x-claude-code-session-id": "session" },
];

const steps = fc.array(
  fc.record({
    agent: fc.nat({ max: AGENTS.length - 1 }),
    step: fc.constantFrom("talk", "call", "interrupt", "late", "retry", "title", "branch", "compact"),
  }),
  { minLength: 1, maxLength: 25 },
);

interface Conversation {
  history: readonly BodyRow[];
  /** Calls without a result yet. */
  open: readonly string[];
  /** What the provider got last; none where the history has been left since. */
  sent: readonly BodyRow[];
}

test("GW-9 DG-26 DG-44 whatever the order, no lane is joined by another agent, no result is lost, and no prefix moves by itself", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const engine = await createEngine({ store: openMemoryStore(), hashKey: Buffer.alloc(32, 7) });
      const conversations = AGENTS.map((): Conversation => ({ history: [user("go")], open: [], sent: [] }));
      const laneOwners = new Map<string, number>();
      for (const [nth, { agent, step }] of script.entries()) {
        if (step === "title") {
          await send(engine, [user("make a title")], AGENTS[agent]!);
          continue;
        }
        const before = conversations[agent]!;
        const now = afterStep(before, step, `${agent}_${nth}`);
        const { lane, rows } = await send(engine, now.history, AGENTS[agent]!);
        expect(rows.slice(0, now.sent.length)).toEqual(now.sent);
        for (const [real] of JSON.stringify(now.history).matchAll(/real \d+_\d+\./g)) {
          expect(JSON.stringify(rows)).toContain(real);
        }
        // A lane without a reply yet belongs to whoever goes on first: there is nothing to tell its owners apart.
        if (now.history.length > 1) {
          expect(laneOwners.get(lane) ?? agent).toBe(agent);
          laneOwners.set(lane, agent);
        }
        conversations[agent] = { ...now, sent: rows };
      }
      await engine.close();
    }),
    { numRuns: Number(process.env.HOLDFAST_TEST_RUNS ?? 500) },
  );
}, 600_000);

/** The request that follows, each reply with words of its own. */
function afterStep({ history, open, sent }: Conversation, step: string, id: string): Conversation {
  const reply = assistant([text(`reply ${id}`)]);
  switch (step) {
    case "talk":
      return { history: [...history, reply, user("next")], open, sent };
    case "call":
      return { history: [...history, assistant([call(id)]), user([result(id, `real ${id}.`)])], open, sent };
    case "interrupt":
      return { history: [...history, assistant([call(id)]), user("stop")], open: [...open, id], sent };
    case "late": {
      const late = open.slice(0, 1).map((one) => result(one, `real ${one}.`));
      return { history: [...history, reply, user([...late, text("so?")])], open: open.slice(1), sent };
    }
    case "branch": {
      const kept = history.slice(0, Math.max(1, history.length - 2));
      return { history: [...kept, reply, user("rather")], open: [], sent: [] };
    }
    case "compact":
      return { history: [user(`a summary ${id}`)], open: [], sent: [] };
    default:
      return { history, open, sent };
  }
}

/** One turn at a provider that takes what is legal; it has to be. */
async function send(engine: Engine, messages: readonly BodyRow[], headers: Headers) {
  const body = Buffer.from(JSON.stringify(request(messages, { cache_control: { type: "ephemeral" } })));
  const upstream = { name: "anthropic", url: "http://127.0.0.1:1", backend: "anthropic" } as const;
  const observed = { upstream, mode: "guard", method: "POST", path: "/v1/messages", headers, body } as const;
  const checked = await engine.checkRequest(observed);
  const sent = JSON.parse(Buffer.from(checked.body).toString()) as { messages: BodyRow[] };
  expect(validateAnthropic(sent as never, createProviderContext())).toMatchObject({ status: 200 });
  engine.observeResponse(checked, { status: 200, headers: {}, body: Buffer.from("{}"), complete: true });
  return { lane: checked.record.lane!, rows: sent.messages };
}
