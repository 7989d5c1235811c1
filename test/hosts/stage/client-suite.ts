/** What every real client has to come through, whoever wrote it and whichever API it speaks. */
import { describe, expect, test, vi } from "vitest";
import { expectByteTruth, sendDirectly } from "./byte-truth.ts";
import { type Servers, type Stage, setStage } from "./stage.ts";

/** One conversation of a client. */
export interface Client {
  /** A turn of the user, streamed, with every tool step that it leads to. Returns the last text of the model. */
  say(text: string): Promise<string>;
  /** Begins a turn and gives up when the first part of the answer is there. */
  sayAndLeave(text: string): Promise<void>;
  /** Leaves the history behind a tool step in a state that the provider rejects. */
  breakHistory(): Promise<void>;
}

/** @param send what an SDK sends with, unless its own */
export type OpenClient = (servers: Servers, send?: typeof fetch) => Promise<Client>;

/** Longer than the smallest prefix that any API caches. */
export const LONG_TEXT = "These are the notes of the project that the agent works on. ".repeat(400);

export function describeClient(name: string, open: (stage: Stage) => Promise<Client>): void {
  describe(name, () => {
    test("GW-3, GW-5, DG-25 turns arrive as they are, and a broken history goes on with a prefix that stays", async () => {
      const stage = await setStage();
      const client = await open(stage);
      expect(await client.say(`${LONG_TEXT} Look twice [[two]]`)).toContain("The tool said:");
      expectStreams(stage);
      expect(expectByteTruth(stage)).toBe(stage.front.exchanges.length);

      await client.breakHistory();
      const unbroken = stage.front.exchanges.length;
      expect(await client.say("Go on")).toContain("said:");
      const repaired = stage.front.exchanges[unbroken]!;
      expect(await sendDirectly(stage, repaired)).toBe(400);
      expect(stage.decisions.get(repaired.tag)?.outcome).toBe("repaired");

      expect(await client.say("The first turn behind it")).toContain("said:");
      await stage.restartGateway();
      expect(await client.say("The second turn behind it")).toContain("said:");
      expectRepairedPrefixRead(stage);
      expectStreams(stage);
      expectByteTruth(stage);
    });

    test("GW-5 a client that leaves in mid-stream ends the request at the provider, and may go on", async () => {
      const stage = await setStage();
      const client = await open(stage);
      await client.sayAndLeave("Tell me a long story, please, as long as you can [[slow]]");
      await vi.waitFor(() => expect(stage.back.exchanges.map(({ end }) => end)).toContain("client-left"), 5_000);
      expect(await client.say("Are you there?")).toContain("You said:");
      expect(expectByteTruth(stage)).toBe(stage.front.exchanges.length);
    });
  });
}

const LAST_EVENT = /event: message_stop|event: response\.completed|data: \[DONE\]/;

function expectStreams(stage: Stage): void {
  for (const exchange of stage.front.exchanges) {
    expect(exchange.status).toBe(200);
    if (exchange.end === "client-left") expect(exchange.tail).toMatch(LAST_EVENT);
    else expect(exchange.end).toBe("complete");
    expect(exchange.mediaType).toMatch(/^text\/event-stream/);
  }
}

/** The last three turns: the repaired one, and two behind it. Each reads from the cache all that the one before put there. */
export function expectRepairedPrefixRead({ provider }: Stage): void {
  const [atRepair, next, last] = provider.meter.turns.slice(-3);
  expect(atRepair!.read + atRepair!.written).toBeGreaterThan(LONG_TEXT.length / 4);
  expect(next!.read).toBe(atRepair!.read + atRepair!.written);
  expect(last!.read).toBe(next!.read + next!.written);
}
