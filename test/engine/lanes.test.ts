/** Which history a request belongs to, over random interleavings of many agents behind one engine. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { rowChainOf } from "../../src/dispatch/row-chain.ts";
import { decideLane, type LaneView } from "../../src/session/lane.ts";
import { readAnthropicRequest } from "../../src/wire/anthropic-messages/request.ts";
import { assistant, type BodyRow, call, request, result, text, user } from "../dispatch/anthropic-body.ts";

function chainOf(messages: readonly BodyRow[], owner = "one") {
  return rowChainOf(readAnthropicRequest(request(messages) as never).rows, owner, null);
}

function lane(id: string, messages: readonly BodyRow[]): LaneView {
  return { id, chain: chainOf(messages) };
}

const start = [user("go")];
const turn = [...start, assistant([call("a")]), user([result("a")])];

test("GW-9 a lane is joined only by extending it with a reply", () => {
  const lanes = [lane("main", turn)];
  const kindOf = (messages: readonly BodyRow[], owner?: string) => decideLane(lanes, chainOf(messages, owner)).kind;
  expect(kindOf([...turn, assistant([text("done")]), user("next")])).toBe("extends");
  expect(kindOf(turn)).toBe("repeats");
  expect(kindOf([...turn, user("a steer message")])).toBe("forks");
  expect(kindOf([...start, assistant([call("b")]), user([result("b")])])).toBe("opens");
  expect(kindOf([...start, assistant([call("a")]), user([result("a", "late and real")])])).toBe("forks");
  expect(kindOf([user("make a title")])).toBe("opens");
  expect(kindOf([user("a summary of all before"), ...turn.slice(1)])).toBe("opens");
  expect(kindOf(turn, "another credential")).toBe("opens");
});

test("GW-9 markers and the spelling of a text as string or block are the same history", () => {
  const marked = user([{ ...text("go"), cache_control: { type: "ephemeral" } }]);
  expect(decideLane([lane("main", [marked, ...turn.slice(1)])], chainOf(turn)).kind).toBe("repeats");
});

test("GW-9 the same point extended twice: the second goes its own way", () => {
  const first = [...turn, assistant([text("yes")]), user("a")];
  const second = [...turn, assistant([text("no")]), user("b")];
  expect(decideLane([lane("main", first)], chainOf(second))).toMatchObject({ kind: "forks", rows: turn.length });
});

/** Agents that all begin with the same words, so that only their replies tell them apart. */
const steps = fc.array(
  fc.record({
    agent: fc.nat({ max: 3 }),
    step: fc.constantFrom("talk", "call", "retry", "branch", "title", "compact"),
  }),
  { minLength: 1, maxLength: 25 },
);

test("GW-9 no lane is joined by the request of another agent, whatever the order", () => {
  fc.assert(
    fc.property(steps, (script) => {
      // A lane without a reply yet belongs to whoever goes on first: there is nothing to tell its owners apart.
      const lanes: { id: string; chain: LaneView["chain"]; agent: number | null }[] = [];
      const histories = new Map<number, BodyRow[]>();
      let replies = 0;
      for (const { agent, step } of script) {
        const history = histories.get(agent) ?? [user("go")];
        const sent = rowsFor(step, history, agent, replies++);
        if (step !== "title") histories.set(agent, sent);
        const chain = chainOf(sent);
        const decision = decideLane(lanes, chain);
        if (decision.kind === "extends") {
          expect(decision.lane.agent ?? agent).toBe(agent);
          Object.assign(decision.lane, { chain, agent });
        } else if (decision.kind !== "repeats") {
          lanes.push({ id: `${lanes.length}`, chain, agent: sent.length > 1 ? agent : null });
        }
        if (decision.kind === "repeats" && sent.length > 1) expect(decision.lane.agent).toBe(agent);
      }
    }),
    { numRuns: Number(process.env.HOLDFAST_TEST_RUNS ?? 3_000) },
  );
});

function rowsFor(step: string, history: BodyRow[], agent: number, nth: number): BodyRow[] {
  const id = `call_${agent}_${nth}`;
  switch (step) {
    case "talk":
      return [...history, assistant([text(`reply ${nth} to ${agent}`)]), user("next")];
    case "call":
      return [...history, assistant([call(id)]), user([result(id)])];
    case "branch":
      return [
        ...history.slice(0, Math.max(1, history.length - 2)),
        assistant([text(`other ${nth} of ${agent}`)]),
        user("next"),
      ];
    case "title":
      return [user("make a title")];
    case "compact":
      return [user(`a summary ${nth} of agent ${agent}`)];
    default:
      return history;
  }
}
