/** What a session leaves behind on disk: the store, its log and the key beside it, read as bytes. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { assistant, call, request, result, text, thinking, user } from "../dispatch/anthropic-body.ts";
import { openSession } from "./gateway-session.ts";

test("DG-75 GW-4 no key and no word of a prompt, an answer, a repair or a rejection is found in the store", async () => {
  const { post, provider, restart, storePath } = await openSession();
  const planted = (words: string) => user(`planted ${words}`);
  const sealed = assistant([thinking("planted-thought"), text("planted reply")]);
  const open = assistant([call("a"), { type: "from_the_future", note: "planted-note" }]);
  provider.script({ text: "planted answer" });
  const turns = [
    request([planted("first")]),
    request([planted("broken"), assistant([text("planted reply"), call("a")]), planted("stop")]),
    request([planted("tail"), assistant([text("planted prefill")])], { model: "claude-opus-4-6" }),
    request([planted("unknown"), open, planted("on")]),
    request([
      planted("lost"),
      assistant([{ type: "server_tool_use", id: "s", name: "web_search", input: {} }]),
      planted("?"),
    ]),
    request([planted("sealed"), sealed, user([result("gone", "planted result")])], { system: "planted system" }),
  ];
  const statuses: number[] = [];
  for (const body of turns) statuses.push((await post(body)).status);
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
  await restart();
  const folder = dirname(storePath);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
  expect(files.join("").length).toBeGreaterThan(10_000);
  expect(files.join("")).toContain("request.repair.recorded");
  for (const kept of files) expect(kept).not.toMatch(/planted/);
});
