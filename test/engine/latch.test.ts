/**
 * A session that alternates managed and unmanaged prefixes cannot be produced: an agent that asks before it injects, a host
 * that sometimes drops what was injected, and a fault that nothing repairs, over any order of events.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { CheckedRequest, Engine } from "../../src/engine/engine.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { assistant, type BodyRow, call, request, result, text, thinking, user } from "../dispatch/anthropic-body.ts";

const upstream = { name: "anthropic", url: "http://127.0.0.1:1", backend: "anthropic" } as const;
const headers = { "x-api-key": "one", "x-session-affinity": "garden" };
const block = { name: "memory", text: "What is known: Ada likes plums, and the jars stand in the cellar." };
const models = ["claude-sonnet-4-5", "claude-opus-4-1"];

const DAY_MS = 25 * 60 * 60 * 1000;

const events = fc.array(
  fc.constantFrom(
    "turn",
    "turn",
    "steer",
    "lost",
    "fault",
    "refuted",
    "side",
    "restart",
    "model",
    "branch",
    "compact",
    "day",
  ),
  { minLength: 1, maxLength: 30 },
);

/** Behind these, another prefix costs nothing that was not lost already. */
const OPENING = new Set(["model", "branch", "compact", "day"]);

/** A call whose result never came: repaired on every turn, as long as the engine may. */
const interrupted = [assistant([call("open")]), user("stop")];

/** Refused by the rule that nothing repairs. */
const unrepairable = [assistant([thinking("a"), call("a"), thinking("b"), text("x")]), user([result("a")])];

class Session {
  #store = openMemoryStore();
  #engine: Engine | null = null;
  #now = 1_000;
  #model = 0;
  #turns = 0;
  #history: BodyRow[] = [user("go"), ...interrupted];

  async engine(): Promise<Engine> {
    this.#engine ??= await createEngine({
      ...{ store: this.#store, hashKey: Buffer.alloc(32, 7), clock: { now: () => this.#now } },
    });
    return this.#engine;
  }

  /** @returns what went out, and whether it carried the block; null for an event without a request of the conversation */
  async play(event: string): Promise<{ checked: CheckedRequest; carried: boolean } | null> {
    this.#now += 1_000;
    const words = `${event} ${++this.#turns}`;
    const history = this.#history;
    switch (event) {
      case "restart":
        await this.#engine?.close();
        this.#engine = null;
        return null;
      case "side":
        await this.#send([user("make a title")], {});
        return null;
      case "refuted":
        await this.#refute();
        return null;
      case "steer":
        this.#history = [...history, user(words)];
        break;
      case "branch":
        this.#history = [...history.slice(0, -2), assistant(`reply to ${words}`), user(words)];
        break;
      case "compact":
        this.#history = [user(`a summary, ${words}`), ...interrupted];
        break;
      case "fault":
        this.#history = [...history, ...unrepairable];
        break;
      default:
        if (event === "model") this.#model = 1 - this.#model;
        if (event === "day") this.#now += DAY_MS;
        this.#history = [...history, assistant(`reply to ${words}`), user(words)];
    }
    const engine = await this.engine();
    const wanted = engine.inject({ upstream, headers }, block).kind === "carry";
    const carried = wanted && event !== "lost";
    const checked = await this.#send(this.#history, carried ? { system: [text("You garden."), text(block.text)] } : {});
    return { checked, carried };
  }

  async #send(messages: readonly BodyRow[], more: object): Promise<CheckedRequest> {
    const body = Buffer.from(JSON.stringify(request(messages, { model: models[this.#model], ...more })));
    return await (await this.engine()).checkRequest({
      ...{ upstream, headers, mode: "guard", method: "POST", path: "/v1/messages", body },
    });
  }

  /** Somebody else's request shows that the provider takes what the rule without a repair foretells. */
  async #refute(): Promise<void> {
    const engine = await this.engine();
    const body = Buffer.from(JSON.stringify(request([user("hi"), ...unrepairable], { model: models[this.#model] })));
    const others = { "x-api-key": "two" };
    const checked = await engine.checkRequest({
      ...{ upstream, headers: others, mode: "guard", method: "POST", path: "/v1/messages", body },
    });
    engine.observeResponse(checked, { status: 200, headers: {}, body: Buffer.from("{}"), complete: true });
  }
}

test("DG-44 a session that alternates managed and unmanaged prefixes cannot be produced", async () => {
  const seen = { repaired: 0, heldBack: 0, carried: 0, leftOut: 0 };
  await fc.assert(
    fc.asyncProperty(events, async (script) => {
      const session = new Session();
      let degraded = false;
      /** Since the last opening: whether each request carried the block. */
      let carried: boolean[] = [];
      for (const event of script) {
        const played = await session.play(event);
        if (played === null) continue;
        if (OPENING.has(event)) {
          degraded = false;
          carried = [];
        }
        const { edits, verdict } = played.checked.record;
        if (degraded) expect(edits, script.join()).toEqual([]);
        if (degraded) seen.heldBack += 1;
        if (edits.length > 0) seen.repaired += 1;
        degraded ||=
          edits.length === 0 && verdict.kind === "unsafe" && verdict.hard.some(({ origin }) => origin === "host");
        carried.push(played.carried);
        const left = carried.indexOf(false, carried.indexOf(true) + 1);
        if (carried.includes(true) && left !== -1) {
          expect(carried.slice(left), script.join()).not.toContain(true);
          seen.leftOut += 1;
        }
        if (played.carried) seen.carried += 1;
      }
    }),
    { numRuns: Number(process.env.HOLDFAST_TEST_RUNS ?? 600) },
  );
  // The property is about something only where all of this happens.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});
