/** Several gateways on one store, which serve the turns of one session in any order (GW-12), on both databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Backend } from "../../src/wire/api.ts";
import { assistant, type BodyRow, call, request, result, text, thinking, user } from "../dispatch/anthropic-body.ts";
import { type PostgresServer, startPostgres } from "../store/postgres-server.ts";
import { temporaryFolder } from "../store/temporary-folder.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const stores = [
  ["sqlite", async () => `sqlite:${temporaryFolder()}/store.db`],
  ["postgres", () => server.createDatabase()],
] as const;

interface Gateway {
  /** One turn, which the provider takes. */
  turn(messages: readonly BodyRow[], backend?: Backend, reply?: readonly object[]): Promise<Turn>;
  readonly engine: Engine;
  /** Whatever it wrote behind the turn is in the store. */
  settled(): Promise<void>;
  /** What others wrote is heard: a turn waits for it a moment only, which may be too short on a busy machine. */
  hears(): Promise<void>;
  stop(): Promise<void>;
}

interface Turn {
  readonly session: string | null;
  readonly outcome: string;
  readonly rows: readonly BodyRow[];
}

let replies = 0;

/** All have one key, as machines that share a database do. */
async function open(url: string): Promise<Gateway> {
  const store = await openStore(url);
  const engine = await createEngine({ store, hashKey: Buffer.alloc(32, 7) });
  const gateway: Gateway = {
    engine,
    settled: () => engine.flush(),
    async hears() {
      await gateway.turn([user("hello"), assistant([text(`reply ${replies++}`)]), user("a history from elsewhere")]);
      await engine.flush();
    },
    async turn(messages, backend = "anthropic", reply = [text("ok")]) {
      const body = Buffer.from(JSON.stringify(request(messages, { cache_control: { type: "ephemeral" } })));
      const checked = await engine.checkRequest({
        upstream: { name: backend, url: "http://127.0.0.1:1", backend },
        mode: "guard",
        method: "POST",
        path: "/v1/messages",
        headers: { "x-api-key": "one", "x-claude-code-session-id": "session" },
        body,
      });
      const answer = Buffer.from(JSON.stringify({ type: "message", role: "assistant", content: reply }));
      const headers = { "content-type": "application/json" };
      engine.observeResponse(checked, { status: 200, headers, body: answer, complete: true });
      const { session, outcome } = checked.record;
      return { session, outcome, rows: JSON.parse(Buffer.from(checked.body).toString()).messages };
    },
    async stop() {
      await engine.close();
      await store.close();
    },
  };
  return gateway;
}

describe.each(stores)("%s", (_name, urlOf) => {
  async function pair(): Promise<readonly [Gateway, Gateway]> {
    const url = await urlOf();
    return [await open(url), await open(url)];
  }

  test("GW-12 DG-26 DG-44 the turns of a session may go to any gateway: it is one session, and no prefix ever alternates", async () => {
    const [one, two] = await pair();
    const interrupted = [user("go"), assistant([call("a")]), user("stop")];
    const late = [...interrupted, assistant([text("ok")]), user([result("a", "eleven jars")])];
    const next = [...late, assistant([text("I see")]), user("next")];
    const sent: Turn[] = [];
    for (const [gateway, messages] of [
      [one, interrupted],
      [two, late],
      [one, next],
      [two, [...next, assistant([text("so")]), user("and?")]],
    ] as const) {
      await gateway.hears();
      sent.push(await gateway.turn(messages));
      await gateway.settled();
    }
    for (const [nth, { rows, session }] of sent.entries()) {
      expect(rows.slice(0, sent[nth - 1]?.rows.length ?? 0)).toEqual(sent[nth - 1]?.rows ?? []);
      expect(session).toBe(sent[0]!.session);
    }
    expect(JSON.stringify(sent.at(-1)!.rows)).toContain("eleven jars");
    await Promise.all([one.stop(), two.stop()]);
  });

  test("GW-12 DG-28 what one gateway saw being sealed, another knows", async () => {
    const [one, two] = await pair();
    const thought = [thinking("hm"), text("eleven")];
    await one.turn([user("count")], "zai", thought);
    await one.settled();
    await two.hears();
    const { rows } = await two.turn([user("count"), assistant(thought), user("and?")]);
    expect(rows[1]!.content).toEqual([text("eleven")]);
    await Promise.all([one.stop(), two.stop()]);
  });

  test("GW-12 DG-25 a tail that one gateway repaired keeps its bytes at another", async () => {
    const [one, two] = await pair();
    const tail = [user("go"), assistant([text("Here is ")])];
    const first = await one.turn(tail);
    await one.settled();
    await two.hears();
    const second = await two.turn([...tail, assistant([text("the reply")]), user("next")]);
    expect(second.rows.slice(0, first.rows.length)).toEqual(first.rows);
    await Promise.all([one.stop(), two.stop()]);
  });
});
