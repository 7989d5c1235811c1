import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Input, readInputs } from "./input.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-input-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function put(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function read(...paths: string[]): Promise<Input[]> {
  const inputs: Input[] = [];
  for await (const input of readInputs(paths)) inputs.push(input);
  return inputs;
}

async function bodyOf(name: string, content: string | Uint8Array): Promise<string> {
  const [input] = await read(await put(name, content));
  expect(input).toMatchObject({ kind: "request" });
  return input?.kind === "request" ? Buffer.from(input.bytes).toString() : "";
}

test("CL-3 a bare body keeps every byte of its file", async () => {
  for (const text of [
    '{"model":"m","messages":[]}\n',
    ' {"a":1.0e1,"a":2, "é":"\\u00e9"}',
    "not json",
    '{"messages":[],"body":{"a":1}}',
  ]) {
    expect(await bodyOf("bare.json", text)).toBe(text);
  }
});

test("CL-3 an envelope gives its body as it stands, and what it says of it", async () => {
  for (const [body, bytes] of [
    ['{"a" : 1.0,\n "b":[]}', '{"a" : 1.0,\n "b":[]}'],
    [JSON.stringify('{"a":1}'), '{"a":1}'],
    ['{"base64":"eyJhIjoxfQ=="}', '{"a":1}'],
    [`{"base64":"${gzipSync('{"a":1}').toString("base64")}"},"headers":{"Content-Encoding":"gzip"}`, '{"a":1}'],
    ['{"a":1},"headers":{"content-encoding":"gzip"}', '{"a":1}'],
  ] as const) {
    const path = await put(
      "envelope.json",
      `{"api":"anthropic-messages","backend":"bedrock","model":"m","url":"/v1","body":${body}}`,
    );
    const [input] = await read(path);
    expect(input).toMatchObject({ hints: { api: "anthropic-messages", backend: "bedrock", model: "m", url: "/v1" } });
    expect(input?.kind === "request" && Buffer.from(input.bytes).toString()).toBe(bytes);
  }
});

test("CL-3 an envelope that can't be read says why", async () => {
  for (const [text, message] of [
    ['{"api":"smoke-signals","body":{}}', '"api" is "smoke-signals"; known: anthropic-messages'],
    ['{"backend":7,"body":{}}', '"backend" is 7; known: anthropic'],
    ['{"body":[1]}', '"body" is neither'],
    ['{"body":{"base64":1}}', '"body" is neither'],
    ['{"body":{"base64":"AAAA"},"headers":{"content-encoding":"br"}}', '"body" is not what'],
  ] as const) {
    const [input] = await read(await put("bad.json", text));
    expect(input).toMatchObject({ kind: "unreadable" });
    expect(input?.kind === "unreadable" && input.message).toContain(message);
  }
});

test("CL-3 JSON lines are one request per line, counted with the empty ones", async () => {
  const path = await put("session.jsonl", '{"a":"\u2028"}\r\n\n{"b":2}');
  const lines = (await read(path)).map(
    (input) => input.kind === "request" && [input.line, Buffer.from(input.bytes).toString()],
  );
  expect(lines).toEqual([
    [1, '{"a":"\u2028"}\r'],
    [3, '{"b":2}'],
  ]);
});

test("CL-3 a folder is read to its end, in the order of the names", async () => {
  for (const name of [
    "tree/b/2.json",
    "tree/a.json",
    "tree/b/1.jsonl",
    "tree/.git/x.json",
    "tree/node_modules/y.json",
    "tree/notes.txt",
  ]) {
    await put(name, "{}");
  }
  const inputs = await read(join(folder, "tree"));
  expect(inputs.map((input) => input.kind === "request" && input.target)).toEqual(["a.json", "b/1.jsonl", "b/2.json"]);
});

test("CL-3 what can't be read is an item, and the rest is still read", async () => {
  await mkdir(join(folder, "empty"));
  const good = await put("good.json", "{}");
  const inputs = await read(join(folder, "missing.json"), join(folder, "empty"), good);
  expect(inputs.map((input) => (input.kind === "unreadable" ? input.message : input.kind))).toEqual([
    "no such file or folder",
    "the folder holds no .json or .jsonl file",
    "request",
  ]);
});
