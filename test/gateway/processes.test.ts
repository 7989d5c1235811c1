/** Gateways as processes of their own, killed and side by side, in front of one session (GW-12, GW-13). */
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ENGINE_OWNER } from "../../src/engine/journal.ts";
import type { EventStore } from "../../src/store/event-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { startSimulatedProvider } from "../../src/testing/index.ts";
import { startProgram } from "../cli/program.ts";
import { assistant, type BodyRow, call, request, result, text, user } from "../dispatch/anthropic-body.ts";
import { temporaryFolder } from "../store/temporary-folder.ts";
import { until } from "./until.ts";

async function setUp() {
  const folder = temporaryFolder();
  const provider = await startSimulatedProvider();
  onTestFinished(() => provider.close());
  const url = `sqlite:${join(folder, "store.db")}`;
  const start = async () => {
    const words = ["start", "--json", "--port", "0", "--store", url, "--upstream", `anthropic=${provider.url}`];
    const program = startProgram(words, { cwd: folder, env: { XDG_DATA_HOME: folder } });
    onTestFinished(() => void program.child.kill("SIGKILL"));
    while (!program.output().endsWith("}\n")) {
      const ended = await Promise.race([program.ended, once(program.child.stdout, "data").then(() => null)]);
      if (ended !== null) throw new Error(`it ended with ${ended.status}: ${ended.stderr}`);
    }
    return { ...program, at: (JSON.parse(program.output()) as { url: string }).url };
  };
  /** The rows as the provider got them last. */
  const arrived = () => (provider.requests.at(-1)!.json as { messages: BodyRow[] }).messages;
  return { provider, start, arrived, store: () => openStore(url) };
}

type Gateway = Awaited<ReturnType<Awaited<ReturnType<typeof setUp>>["start"]>>;

/** Long enough to be cached: what is shorter is not. */
const long = "The shed holds eleven jars, nine lamps and a rake. ".repeat(200);

function post({ at }: Gateway, messages: readonly BodyRow[]): Promise<Response> {
  return fetch(`${at}/anthropic/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-api-key": "one",
      "x-claude-code-session-id": "session",
    },
    body: JSON.stringify(request(messages, { system: long, cache_control: { type: "ephemeral" } })),
  });
}

/** What happens behind an answer has happened. */
async function wrote(store: EventStore, stream: string, events: number): Promise<void> {
  await vi.waitFor(async () => expect(await store.read(ENGINE_OWNER, stream)).toHaveLength(events), 10_000);
}

async function sessionsOf({ at }: Gateway): Promise<string[]> {
  const answer = (await (await fetch(`${at}/api/sessions`)).json()) as { sessions: { session: string }[] };
  return answer.sessions.map(({ session }) => session);
}

const interrupted = [user("go"), assistant([call("a")]), user("stop")];
const late = [...interrupted, assistant([text("ok")]), user([result("a", "eleven jars")])];

test("GW-13 DG-25 DG-26 a gateway that is killed goes on with session, repair and cache where the last one was", async () => {
  const { provider, start, arrived, store } = await setUp();
  provider.script({ text: "ok" }, { text: "I see" });
  const first = await start();
  expect((await post(first, interrupted)).status).toBe(200);
  const repaired = arrived();
  const watched = await store();
  await wrote(watched, "engine/made-results", 1);
  const before = await sessionsOf(first);
  first.child.kill("SIGKILL");
  await first.ended;

  const second = await start();
  expect((await post(second, late)).status).toBe(200);
  expect(arrived().slice(0, repaired.length)).toEqual(repaired);
  expect(JSON.stringify(arrived().at(-1))).toContain("eleven jars");
  const [written, read] = provider.meter.turns;
  expect(read!.read).toBeGreaterThanOrEqual(written!.written);
  await until(async () => expect(await sessionsOf(second)).toEqual(before));
  await watched.close();
}, 60_000);

test("GW-13 a gateway that is killed while the model answers: the same request to the next one goes out as the same bytes", async () => {
  const { provider, start, arrived } = await setUp();
  provider.script({ hang: true }, { text: "ok" });
  const first = await start();
  const answer = post(first, interrupted).then(
    ({ status }) => status,
    () => "broken",
  );
  await vi.waitFor(() => expect(provider.requests).toHaveLength(1), 10_000);
  const sent = Buffer.from(provider.requests[0]!.body);
  first.child.kill("SIGKILL");
  expect(await answer).toBe("broken");

  const second = await start();
  expect((await post(second, interrupted)).status).toBe(200);
  expect(Buffer.from(provider.requests.at(-1)!.body).equals(sent)).toBe(true);
  expect(JSON.stringify(arrived())).toContain("No result:");
}, 60_000);

test("GW-12 two gateways on one store serve one session by turns, and the provider sees one prefix", async () => {
  const { provider, start, arrived, store } = await setUp();
  const watched = await store();
  const gateways = [await start(), await start()];
  const history = [interrupted, late, [...late, assistant([text("I see")]), user("next")]];
  const read: number[] = [];
  let before: readonly BodyRow[] = [];
  for (const [nth, messages] of history.entries()) {
    // A turn waits for the store for a moment only. On a busy machine that may be too short, and the next try finds it heard.
    await vi.waitFor(async () => {
      expect((await post(gateways[nth % 2]!, messages)).status).toBe(200);
      expect(arrived().slice(0, before.length)).toEqual(before);
    }, 20_000);
    before = arrived();
    read.push(provider.meter.turns.at(-1)!.read);
    await wrote(watched, "engine/made-results", nth + 1);
  }
  const { written } = provider.meter.turns[0]!;
  for (const tokens of read.slice(1)) expect(tokens).toBeGreaterThanOrEqual(written);
  expect(await sessionsOf(gateways[1]!)).toEqual(await sessionsOf(gateways[0]!));
  await watched.close();
}, 60_000);
