/** What has to hold for every request of every client, whatever the test is about. */
import { expect } from "vitest";
import type { Stage } from "./stage.ts";
import { type Exchange, TAG_HEADER } from "./tap.ts";

/** Belong to one connection, or name who listens at its end. */
const HOP_HEADERS = new Set(["host", "connection", "keep-alive", "transfer-encoding", TAG_HEADER]);

/** Requests that the gate did not change arrived once, with the client's bytes and headers. Returns how many there were. */
export function expectByteTruth(stage: Stage): number {
  const sent = stage.front.exchanges.filter(
    ({ tag, method }) => method === "POST" && stage.decisions.get(tag)?.outcome === "sent",
  );
  for (const exchange of sent) {
    const [arrived, ...others] = stage.arrivals(exchange.tag);
    expect(others, exchange.tag).toHaveLength(0);
    expect(arrived?.body.equals(exchange.body), exchange.tag).toBe(true);
    expect(endToEnd(arrived!.rawHeaders), exchange.tag).toEqual(endToEnd(exchange.rawHeaders));
  }
  return sent.length;
}

function endToEnd(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && !HOP_HEADERS.has(name.toLowerCase()) ? [`${name}: ${rawHeaders[at + 1]}`] : [],
  );
}

/** What the provider says to the client's own bytes when nothing stands between them. */
export async function sendDirectly(stage: Stage, exchange: Exchange): Promise<number> {
  const headers = exchange.rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 && !HOP_HEADERS.has(name.toLowerCase()) && name.toLowerCase() !== "content-length"
      ? [[name, exchange.rawHeaders[at + 1]!]]
      : [],
  );
  const answer = await fetch(`${stage.provider.url}${exchange.path}`, { method: "POST", headers, body: exchange.body });
  await answer.arrayBuffer();
  return answer.status;
}
