/** A rule that is wrong about a provider, on every api: one accepted request, and it never touches a byte again (DG-11). */
import { describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine, Mode } from "../../src/engine/engine.ts";
import type { EventStore } from "../../src/store/event-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Upstream } from "../../src/wire/api.ts";
import * as anthropic from "../dispatch/anthropic-body.ts";
import * as chat from "../dispatch/chat-body.ts";
import * as responses from "../dispatch/responses-body.ts";
import { temporaryFolder } from "../store/temporary-folder.ts";

/** A history that its rule calls illegal, at a provider that takes it all the same. */
const cases = [
  {
    rule: "A-PAIR-1",
    backend: "anthropic",
    path: "/v1/messages",
    body: anthropic.request([
      anthropic.user("go"),
      anthropic.assistant([anthropic.call("a")]),
      anthropic.user("stop"),
    ]) as object,
  },
  {
    rule: "C-PAIR-1",
    backend: "openai",
    path: "/v1/chat/completions",
    body: chat.request([chat.user("go"), chat.calling(["a"]), chat.user("stop")]),
  },
  {
    rule: "R-PAIR-1",
    backend: "openai",
    path: "/v1/responses",
    body: responses.request([responses.user("go"), responses.call("a"), responses.user("stop")]),
  },
] as const;

const open = (store: EventStore) => createEngine({ store, hashKey: Buffer.alloc(32, 7) });

describe.each(cases)("$rule", ({ rule, backend, path, body }) => {
  const bytes = Buffer.from(JSON.stringify(body));

  async function accepted(engine: Engine, upstream: Upstream, mode: Mode = "guard"): Promise<Uint8Array> {
    const request = { upstream, mode, method: "POST", path, headers: { authorization: "Bearer one" }, body: bytes };
    const checked = await engine.checkRequest(request);
    engine.observeResponse(checked, { status: 200, headers: {}, body: Buffer.from("{}"), complete: true });
    return checked.body;
  }

  test("DG-11 a rule that is wrong loses its power after one accepted request, for good", async () => {
    const store = await openStore(`sqlite:${temporaryFolder()}/store.db`);
    const unnamed = { name: "clone", url: "http://127.0.0.1:1" };
    const named = { name: "own", url: "http://127.0.0.1:1", backend };
    const engine = await open(store);
    expect(await accepted(engine, unnamed)).toBe(bytes);
    expect(await accepted(engine, named)).not.toBe(bytes);
    expect(await accepted(engine, named, "observe")).toBe(bytes);
    expect(engine.counters().filter(({ name }) => name === "rule_refuted")).toEqual([
      { name: "rule_refuted", labels: { rule }, count: 2 },
    ]);
    for (const upstream of [unnamed, named]) expect(await accepted(engine, upstream)).toBe(bytes);
    await engine.close();
    const again = await open(store);
    for (const upstream of [unnamed, named]) expect(await accepted(again, upstream)).toBe(bytes);
    await again.close();
    await store.close();
  });
});
