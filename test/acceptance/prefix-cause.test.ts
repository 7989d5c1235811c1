/** Each turn of a session through the gateway: what moved its prefix is said with the turn. */
import { expect, test } from "vitest";
import { assistant, type BodyRow, call, request, result, text, tool, user } from "../dispatch/anthropic-body.ts";
import { until } from "../gateway/until.ts";
import { openSession } from "./gateway-session.ts";

const start: readonly BodyRow[] = [user("go"), assistant([text("ok")]), user("and?")];
const next: readonly BodyRow[] = [...start, assistant([call("a")]), user([result("a")])];

/** Two turns; the cause that the second one has. */
async function causeOf(first: object, second: object): Promise<unknown> {
  const { post, turns } = await openSession("guard");
  await post(first);
  await post(second);
  await until(async () => expect(await turns()).toHaveLength(2));
  return (await turns())[0]!.prefix;
}

test("GW-11 a turn whose prefix moved has cause, path and what it costs; one that only grew has none", async () => {
  expect(await causeOf(request(start), request(next))).toBeNull();
  expect(await causeOf(request(start), request(start))).toBeNull();
  const clock = (time: string) => ({ system: [{ type: "text", text: `Be brief. It is 2026-11-30 ${time}.` }] });
  expect(await causeOf(request(start, clock("10:00:01")), request(next, clock("10:00:07")))).toMatchObject({
    cause: "clock",
    path: "/system/0/text",
    lost_tokens: expect.any(Number),
  });
  const tools = [tool("read"), tool("write")];
  expect(await causeOf(request(start, { tools }), request(next, { tools: tools.toReversed() }))).toMatchObject({
    cause: "tool_order",
    path: "/tools/0/name",
  });
  const trimmed = [...next.slice(0, 4), user([result("a", "[cut]")]), assistant([text("done")]), user("x")];
  expect(await causeOf(request([...next, assistant([text("done")]), user("x")]), request(trimmed))).toMatchObject({
    cause: "history_rewritten",
    path: "/messages/4/content/0/content",
  });
});
