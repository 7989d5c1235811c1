import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { describeIssue } from "./describe-issue.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { createPublicWords } from "./public-words.ts";
import { redact } from "./redact.ts";

const secrets = { home: "/house/ada", user: "ada", machine: "lovelace.local" };
const NOTHING: Diagnosis = { checks: [], counters: [], rules: [], captures: [], isBroken: false };

test("a public report holds no home, user, machine or key", () => {
  for (const [text, shown] of [
    ["the store /house/ada/x.db", "the store ~/x.db"],
    ["by Ada on lovelace, adam stays", "by [user] on [machine], adam stays"],
    ["key sk-ant-REDACTED", "key [key]"],
    ["postgres://ada:secret@db/x", "postgres://[user]@db/x"],
    ["0123456789abcdef0123456789abcdef0123456789abcdef", "[key]"],
    ["A-PAIR-1 at /messages/3/content/0", "A-PAIR-1 at /messages/3/content/0"],
  ] as const) {
    expect(redact(text, secrets)).toBe(shown);
  }
});

test("a public report stays below what an issue takes", () => {
  const counters = Array.from({ length: 5_000 }, (_, index) => ({
    name: "request",
    labels: { verdict: `v-${index}` },
    count: index,
  }));
  const report = describeIssue("1.0.0", { ...NOTHING, counters }, secrets);
  expect(Buffer.byteLength(report)).toBeLessThanOrEqual(60_000);
  expect(report).toContain("verdict=v-1 ");
  expect(report.endsWith("(cut)\n")).toBe(true);
});

test("DG-75 names that people gave are hashed under a key of this report only", () => {
  const [one, two] = [createPublicWords(), createPublicWords()];
  expect(one.name("upstream", "acme-llm.corp")).toBe(one.name("upstream", "acme-llm.corp"));
  expect(one.name("upstream", "acme-llm.corp")).not.toBe(two.name("upstream", "acme-llm.corp"));
  const words = createPublicWords(randomBytes(32));
  for (const [model, isShown] of [
    ["claude-sonnet-4-5-20250929", true],
    ["us.anthropic.claude-opus-4-1-20250805-v1:0", true],
    ["gpt-5.1-codex-mini", true],
    ["gemini-2.5-flash-lite", true],
    ["ft:gpt-4o:acme::a1b2", false],
    ["gpt-4o-acme", false],
    ["llama3-medical", false],
  ] as const) {
    expect(words.model(model) === model, model).toBe(isShown);
  }
  expect(words.label("shape", "pi|anthropic-messages|claude-opus-4-1|row_moved+cache_marker|-1")).toBe(
    "pi|anthropic-messages|claude-opus-4-1|row_moved + cache_marker|-1",
  );
  expect(words.label("shape", "acme-agent|anthropic-messages|a|b|row_moved|1")).toMatch(
    /^host-[0-9a-f]{8}\|anthropic-messages\|model-[0-9a-f]{8}\|row_moved\|1$/,
  );
});

/** Where text from outside can get into a store or a diagnosis. */
const PLANTED = [
  ...["sk-ant-planted0001", "acme-gateway.corp", "ft:gpt-4o:acme-7::x", "agent-of-ada", "/srv/acme/store.db"],
  ...["shape-agent-7", "private-model-9", "tenant-of-acme", "session-acme-42", "planted prompt words"],
  ...["/house/ada/.pi/holdfast", "ADA@example.org", "acme_rule", "acme/path/word", "acme_class"],
  ...["AKIAPLANTED00000000", "acme_counter!", "weird label", "lovelace.local", "10.20.30.40:8080"],
] as const;

test("DG-75 a report holds none of 20 planted secrets, names and paths", () => {
  const [key, host, model, agent, path, shapeAgent, shapeModel, tenant, session, prompt] = PLANTED;
  const [source, mail, rule, place, name, aws, counter, label, machine, address] = PLANTED.slice(10) as string[];
  const diagnosis: Diagnosis = {
    isBroken: false,
    checks: [
      { id: "store_integrity", title: "sound", status: "ok", advice: null, detail: path },
      { id: "host_pi", title: "Pi 1.0.0", status: "warn", advice: `see ${source}`, detail: `${session} ${tenant}` },
    ],
    counters: [
      { name: "request_unread", labels: { upstream: host, reason: "path" }, count: 1 },
      { name: "divergence_shape", labels: { host: agent, shape: `${shapeAgent}|x|${shapeModel}|${name}|1` }, count: 1 },
      { name: "divergence", labels: { class: name!, api: prompt }, count: 1 },
      { name: counter!, labels: { [label!]: mail!, where: aws!, code: machine! }, count: 1 },
    ],
    rules: [
      {
        ...{ rule: rule!, predicted: 1, confirmed: 0, refuted: 0, missed: 0 },
        places: [{ upstream: address!, backend: "anthropic", model, power: "proven" }],
      },
    ],
    captures: [
      {
        ...{ v: 1, reasons: ["degraded"], upstream: host, api: null, backend: "anthropic", model: key, lane: session },
        ...{ bytes: 1, rows: 1, verdict: "unsafe", outcome: "degraded", recordedAt: 0 },
        faults: [{ name: rule!, place: `/messages/${place}`, count: 1 }],
        rejected: { status: 400, rule: null },
      },
    ],
  };
  const report = describeIssue("1.0.0", diagnosis, secrets);
  expect(new Set(PLANTED)).toHaveLength(20);
  for (const one of PLANTED) expect(report.toLowerCase(), one).not.toContain(one.toLowerCase());
  for (const word of ["acme", "ada", "lovelace", "planted", "10.20"])
    expect(report.toLowerCase()).not.toMatch(new RegExp(`\\b${word}`));
  expect(report).toContain("| host_pi | warn | Pi 1.0.0 |");
  expect(report).toContain("degraded | upstream-");
});
