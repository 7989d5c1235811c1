import { expect, test } from "vitest";
import { PriceTable } from "../../src/cache/price.ts";
import type { PriceOverrides } from "../../src/cache/price-overrides.ts";
import { ClaudeSession, sessionFile } from "./claude-rows.ts";
import { scanFiles, toLines } from "./scan-files.ts";

const perToken = (usdPerMillion: number) => [{ above: -1, usdPerMillion }];

/** One dollar for a token in, ten for one out, so that a sum shows what went into it. */
function priceOf(usd: number): PriceOverrides[string] {
  return {
    ...{ input: perToken(usd * 1e6), output: perToken(usd * 10e6), cacheRead: perToken(usd * 0.1e6) },
    ...{ cacheWrite: perToken(usd * 1e6), cacheWrite1h: perToken(usd * 2e6), usdPerWebSearch: 0.01 },
  };
}

const prices = new PriceTable({ m: priceOf(1), advisor: priceOf(5), "m@fast": priceOf(6) });

const scanned = async (files: Record<string, string>) => await scanFiles(files, { prices });

function claude(usage: Record<string, unknown>): string {
  const session = new ClaudeSession().user("go").answer("a", {}, {}, { model: "m", usage });
  // Every block of the answer repeats the usage.
  const last = session.rows.at(-1)!;
  return toLines([...session.rows, { ...last, uuid: "again", parentUuid: last.uuid }]);
}

test("SC-19 a compaction and an advisor inside one of Claude Code's answers are paid beside it, once", async () => {
  const iterations = [
    { type: "message", input_tokens: 10, output_tokens: 1 },
    { type: "compaction", input_tokens: 7, output_tokens: 2 },
    { type: "advisor_message", model: "advisor", input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 10 },
  ];
  const { sessions, totals } = await scanned({
    [sessionFile]: claude({ input_tokens: 10, output_tokens: 1, iterations }),
  });
  const [session] = sessions;
  expect(session).toMatchObject({ turns: 1, tokens: { input: 10, output: 1 } });
  expect(session!.side_calls).toMatchObject({
    calls: 2,
    tokens: { input: 10, output: 3, cache_read: 10 },
    cost_usd: 27 + (3 + 10 + 1) * 5,
  });
  expect(session!.cost_usd).toBe(20 + 27 + 70);
  expect(totals).toMatchObject({ cost_usd: 117, side_calls: { calls: 2, cost_usd: 97 } });
});

test("SC-20 searches of the provider are paid by number, fetched pages are not", async () => {
  const server_tool_use = { web_search_requests: 3, web_fetch_requests: 5 };
  const { sessions } = await scanned({
    [sessionFile]: claude({ input_tokens: 1, output_tokens: 0, server_tool_use }),
  });
  expect(sessions[0]).toMatchObject({ web_searches: 3, cost_usd: 1.03 });
});

test("SC-20 Codex pays for searches, not for pages it opens", async () => {
  const timestamp = "2026-03-14T09:00:00.000Z";
  const row = (type: string, payload: Record<string, unknown>) => ({ timestamp, type, payload });
  const search = (type: string, id: string) => row("response_item", { type: "web_search_call", id, action: { type } });
  const usage = { input_tokens: 2, cached_input_tokens: 0, output_tokens: 0 };
  const rows = [
    row("session_meta", { id: "t", cwd: "/" }),
    row("turn_context", { model: "m" }),
    ...[search("search", "ws_1"), search("open_page", "ws_2"), search("search", "ws_3")],
    row("token_usage_record", { response_id: "r1", thread_id: "t", usage }),
    row("token_usage_record", { response_id: "r2", thread_id: "t", usage }),
  ];
  const { sessions } = await scanned({ "rollout-1.jsonl": toLines(rows) });
  expect(sessions[0]).toMatchObject({ turns: 2, web_searches: 2, cost_usd: 4.02 });
});

test("SC-21 a fast answer has its own price where one is given, and a switch of speed is the cause of its break", async () => {
  const usage = (members: Record<string, unknown>) => ({ model: "m", usage: { output_tokens: 0, ...members } });
  const session = new ClaudeSession()
    .user("go")
    .answer("a", {}, {}, usage({ input_tokens: 1, cache_creation_input_tokens: 5000 }))
    .user("faster")
    .answer("b", {}, {}, usage({ input_tokens: 2, cache_creation_input_tokens: 5000, speed: "fast" }))
    .user("more")
    .answer("c", {}, {}, usage({ input_tokens: 2, cache_read_input_tokens: 5000, speed: "fast" }))
    .user("and more")
    .answer("d", {}, {}, usage({ input_tokens: 3, cache_read_input_tokens: 5000, service_tier: "priority" }));
  const { sessions, totals } = await scanned({ [sessionFile]: toLines(session.rows) });
  expect(sessions[0]!.breaks).toMatchObject([{ cause: "settings", detail: "speed", request: 2 }]);
  expect(sessions[0]!.cost_usd).toBe(5001 + 5002 * 6 + (2 + 500) * 6 + 3 + 500);
  expect(totals.turns_at_standard_price).toBe(1);
});

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 14, 9, 0, seconds)).toISOString();

function entries(rows: readonly Record<string, unknown>[], first: readonly Record<string, unknown>[] = []): string {
  const header = { type: "session", version: 3, id: "s", timestamp: at(0), cwd: "/" };
  const chained = rows.map((row, index) => ({
    ...{ id: `e${index}`, parentId: index === 0 ? null : `e${index - 1}`, timestamp: at(index + 1) },
    ...row,
  }));
  return toLines([...first, header, ...chained]);
}

const said = (usage: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "message",
  message: {
    role: "assistant",
    content: [],
    api: "anthropic-messages",
    model: "m",
    usage,
    stopReason: "stop",
    ...more,
  },
});

test("SC-19 what Pi pays beside its turns is counted: kept caches, summaries, tools that ask a model", async () => {
  const file = entries([
    said({ input: 10, output: 1, cacheRead: 0, cacheWrite: 0 }),
    { type: "usage", kind: "cache_warm", provider: "p", model: "m", usage: { input: 1, output: 0, cacheRead: 10 } },
    { type: "compaction", summary: "", firstKeptEntryId: "e0", usage: { input: 4, output: 1, cost: { total: 30 } } },
    { type: "branch_summary", fromId: "e0", summary: "", usage: { input: 3, output: 0, cost: { total: 0 } } },
    { type: "message", message: { role: "toolResult", toolCallId: "x", content: [], usage: { input: 2, output: 0 } } },
    said({ input: 1, output: 0, cost: { total: 0.25, totalFromProvider: true } }, { model: "nobody-knows" }),
  ]);
  const { sessions } = await scanned({ "2026-03-14T09-00-00-000Z_s.jsonl": file });
  // 2 of the cache that was kept warm, 30 by Pi's own sum, 3 and 2 at the price of the session's model.
  expect(sessions[0]!.side_calls).toMatchObject({ calls: 4, cost_usd: 37 });
  // The provider's own bill needs no price of the model.
  expect(sessions[0]).toMatchObject({ turns: 2, tokens: { input: 11 }, cost_usd: 20 + 37 + 0.25, unpriced_models: [] });
});

test("SC-19 a cache that was kept warm over a pause has not run out of time", async () => {
  const usage = { input: 1, output: 0, cacheRead: 0, cacheWrite: 5000 };
  const rows = (between: readonly Record<string, unknown>[]) => [
    said(usage),
    ...between,
    { type: "message", timestamp: at(560), message: { role: "user", content: [] } },
    { ...said(usage), timestamp: at(562) },
  ];
  const warm = { type: "usage", kind: "cache_warm", model: "m", usage: { cacheRead: 5000 }, timestamp: at(280) };
  const causes = async (between: readonly Record<string, unknown>[]) => {
    const { sessions } = await scanned({ "2026-03-14T09-00-00-000Z_s.jsonl": entries(rows(between)) });
    return sessions[0]!.breaks.map(({ cause }) => cause);
  };
  expect(await causes([])).toEqual(["ttl_gap"]);
  expect(await causes([warm])).toEqual(["unknown"]);
});

test("SC-19, SC-20, SC-21 OMP: side models, orchestration, searches, one-hour writes and tiers", async () => {
  const title = { type: "title", v: 1, title: "", updatedAt: at(0), pad: "" };
  const rows = [
    {
      type: "model_usage",
      purpose: "title",
      api: "x",
      provider: "p",
      model: "advisor",
      usage: { input: 2, output: 0 },
    },
    { type: "service_tier_change", serviceTier: { anthropic: "priority", openai: "flex" } },
    said({
      ...{ input: 1, output: 0, cacheRead: 0, cacheWrite: 10, cttl: { ephemeral5m: 4, ephemeral1h: 6 } },
      ...{ orchestration: { input: 3 }, server: { webSearch: 2, webFetch: 9 } },
    }),
    {
      type: "message",
      message: {
        role: "toolResult",
        toolName: "task",
        toolCallId: "x",
        content: [],
        details: { usage: { input: 99 } },
      },
    },
  ];
  const { sessions } = await scanned({ "2026-03-14T09-00-00-000Z_s.jsonl": entries(rows, [title]) });
  expect(sessions[0]).toMatchObject({ agent: "omp", turns: 1, web_searches: 2, turns_at_standard_price: 1 });
  expect(sessions[0]!.side_calls).toMatchObject({ calls: 2, tokens: { input: 5 }, cost_usd: 10 + 3 });
  expect(sessions[0]!.cost_usd).toBe(13 + 1 + 4 + 12 + 0.02);
});

test("SC-19 a side call of a model without a price has tokens only, and its name is said", async () => {
  const file = entries([
    said({ input: 1, output: 0 }),
    { type: "usage", kind: "title", provider: "p", model: "nobody-knows", usage: { input: 5, output: 0 } },
  ]);
  const { sessions, totals } = await scanned({ "2026-03-14T09-00-00-000Z_s.jsonl": file });
  expect(sessions[0]).toMatchObject({ cost_usd: 1, side_calls: { calls: 1, cost_usd: null } });
  expect(totals.unpriced_models).toEqual(["nobody-knows"]);
});
