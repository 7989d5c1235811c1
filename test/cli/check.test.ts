import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunOptions, runProgram, startProgram } from "./program.ts";

const legal = {
  model: "claude-sonnet-4-5",
  max_tokens: 8,
  system: "Be brief.",
  messages: [{ role: "user", content: "Hello" }],
};
const call = { type: "tool_use", id: "toolu_1", name: "count", input: {} };
const unanswered = {
  ...legal,
  tools: [{ name: "count", input_schema: { type: "object" } }],
  messages: [
    { role: "user", content: "Count." },
    { role: "assistant", content: [call] },
    { role: "user", content: "Are you there?" },
  ],
};
/** Spelled as no serialiser would: whatever is not repaired has to keep this spelling. */
const spelled = JSON.stringify(unanswered, null, 3).replace('"max_tokens": 8', '"max_tokens":8.0e0');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-check-"));
  await put("legal.json", JSON.stringify(legal));
  await put("broken.json", spelled);
  await put("tree/a.json", JSON.stringify(legal));
  await put("tree/deep/b.json", spelled);
  await put("tree/c.jsonl", `${JSON.stringify(legal)}\n\n${JSON.stringify(unanswered)}\n`);
});
afterAll(() => rm(folder, { recursive: true }));

async function put(name: string, content: string | Uint8Array): Promise<void> {
  await mkdir(join(folder, name, ".."), { recursive: true });
  await writeFile(join(folder, name), content);
}

async function get(name: string): Promise<string> {
  return await readFile(join(folder, name), "utf8");
}

async function check(words: readonly string[], status: number, options: RunOptions = {}) {
  const ended = await runProgram(["check", ...words], { cwd: folder, ...options });
  expect(ended.status, `${words.join(" ")}: ${ended.stderr}`).toBe(status);
  return ended;
}

test("CL-1 the exit code says whether all is fine, something was found, or something could not be read", async () => {
  await put("cut.json", '{"model":"claude-sonnet-4-5","messages":[');
  await put("control.json", '{\n "model": "a\u0001b"}');
  await put("binary.json", Buffer.from([0x7b, 0xff]));
  await put("list.json", "[1]");
  await put("empty.json", "");
  await check(["legal.json"], 0);
  await check(["legal.json", "broken.json"], 1);
  for (const [name, message] of [
    ["cut.json", "cut.json:1:42: "],
    ["control.json", "control.json:2:13: raw control byte 0x01"],
    ["binary.json", "binary.json:1:2: not valid UTF-8"],
    ["list.json", "list.json: the shape fits no known API; name it with --api"],
    ["empty.json", "empty.json:1:1: "],
  ] as const) {
    expect((await check([name], 2)).stderr).toContain(`holdfast: ${message}`);
  }
  const mixed = await check(["--json", "cut.json", "broken.json"], 2);
  expect(JSON.parse(mixed.stdout)).toHaveLength(1);
});

test("CL-2 --json is one document of the promised members and nothing else", async () => {
  const { stdout, stderr } = await check(["--json", "broken.json"], 1);
  expect(stderr).toBe("");
  const [record] = JSON.parse(stdout);
  expect(record).toMatchObject({
    schema: 1,
    source: "broken.json",
    line: null,
    api: "anthropic-messages",
    backend: "anthropic",
    model: "claude-sonnet-4-5",
    verdict: "unsafe",
    detected: true,
    outcome: "repaired",
    violations: [{ rule: "A-PAIR-1", path: "/messages/1/content/0", origin: "host", repair: "synthesise_result" }],
  });
  expect(record.violations[0].source).toMatch(/^https:/);
  expect(record.edits.length).toBeGreaterThan(0);
  for (const edit of record.edits) expect(Object.keys(edit)).not.toContain("value");
  expect(JSON.parse((await check(["--json", "legal.json"], 0)).stdout)).toMatchObject([
    { verdict: "admit", outcome: "sent", edits: [] },
  ]);
});

test("CL-2 text is for people: the place, the rule, the repair and a total", async () => {
  const { stdout } = await check(["broken.json", "legal.json"], 1);
  for (const words of [
    "broken.json: unsafe, repaired",
    "A-PAIR-1 /messages/1/content/0",
    "legal.json: legal",
    "2 requests: 1 legal, 1 unsafe",
  ]) {
    expect(stdout).toContain(words);
  }
});

test("CL-2 sarif and junit name the rule at its line, and pass what is legal", async () => {
  const sarif = JSON.parse((await check(["--format", "sarif", "broken.json", "legal.json"], 1)).stdout);
  const [result] = sarif.runs[0].results;
  expect(result).toMatchObject({ ruleId: "A-PAIR-1", level: "error" });
  const { artifactLocation, region } = result.locations[0].physicalLocation;
  expect(artifactLocation.uri).toBe("broken.json");
  expect(spelled.split("\n")[region.startLine - 1]?.trim()).toBe("{");
  expect(spelled.split("\n")[region.startLine]).toContain('"tool_use"');
  const junit = (await check(["--format", "junit", "broken.json", "legal.json"], 1)).stdout;
  expect(junit).toContain('tests="2" failures="1"');
  expect(junit).toContain('name="legal.json"/>');
});

test("CL-3 stdin, folders, lines and envelopes are judged, and a flag wins over an envelope", async () => {
  await put("envelope.json", JSON.stringify({ api: "anthropic-messages", backend: "vertex", model: "m", body: legal }));
  const sources = async (words: readonly string[], options: RunOptions = {}) =>
    JSON.parse((await runProgram(["check", "--json", ...words], { cwd: folder, ...options })).stdout);
  expect(await sources(["-"], { input: spelled })).toMatchObject([{ source: "-", line: null, verdict: "unsafe" }]);
  expect(await sources(["-"], { input: `${JSON.stringify(legal)}\n${JSON.stringify(legal)}\n` })).toMatchObject([
    { line: 1 },
    { line: 2 },
  ]);
  expect(await sources(["tree"])).toMatchObject([
    { source: join("tree", "a.json"), line: null },
    { source: join("tree", "c.jsonl"), line: 1, verdict: "admit" },
    { source: join("tree", "c.jsonl"), line: 3, verdict: "unsafe" },
    { source: join("tree", "deep", "b.json"), line: null },
  ]);
  expect(await sources(["envelope.json"])).toMatchObject([{ backend: "vertex", detected: false }]);
  expect(await sources(["--backend", "bedrock", "envelope.json"])).toMatchObject([{ backend: "bedrock" }]);
});

test("a repaired body keeps every byte outside its edits, and is legal", async () => {
  await check(["--repair", "-o", "out.json", "broken.json"], 1);
  const repaired = await get("out.json");
  const at = spelled.indexOf('"Are you there?"');
  expect(repaired.startsWith(spelled.slice(0, spelled.lastIndexOf("{", at)))).toBe(true);
  expect(repaired).toContain('"max_tokens":8.0e0');
  await check(["out.json"], 0);
  const { stdout } = await check(["--repair", "-o", "-", "broken.json"], 1);
  expect(stdout).toBe(repaired);
});

test("a folder of outputs has the names of the inputs", async () => {
  await check(["--repair", "-o", "outputs", "tree"], 1);
  expect(await get("outputs/a.json")).toBe(JSON.stringify(legal));
  const lines = (await get("outputs/c.jsonl")).trimEnd().split("\n");
  expect(lines[0]).toBe(JSON.stringify(legal));
  expect(lines).toHaveLength(2);
  await check(["outputs"], 0);
});

test("CL-1 an output that can't be is a wrong word", async () => {
  for (const [words, message] of [
    [["-o", "x.json", "legal.json"], "-o writes repaired bodies; add --repair"],
    [["--repair", "-o", "-", "--json", "legal.json"], "both write to stdout"],
    [["--repair", "-o", "legal.json", "legal.json"], "would overwrite its own input"],
    [["--repair", "-o", "same", "legal.json", "tree/../legal.json"], "two requests would be written to"],
    [["--received", "missing.json", "legal.json"], "--received missing.json: no such file or folder"],
    [["--received", "legal.json", "legal.json"], "is not a JSON array"],
  ] as const) {
    expect((await check(words, 2)).stderr).toContain(message);
  }
});

test("CL-6 a reader that leaves is no failure", async () => {
  const lines = Array.from({ length: 4_000 }, () => JSON.stringify(unanswered)).join("\n");
  await put("long.jsonl", lines);
  const program = startProgram(["check", "long.jsonl"], { cwd: folder });
  program.child.stdout.once("data", () => program.child.stdout.destroy());
  const { status, stderr } = await program.ended;
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
