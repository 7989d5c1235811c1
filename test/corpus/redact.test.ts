/** What is left of a body after redaction: nothing of anybody, and everything that a rule or a comparison looks at. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Filler } from "../../src/corpus/filler.ts";
import { imageSize } from "../../src/dispatch/detect/images.ts";
import type { Api, Backend } from "../../src/wire/api.ts";
import * as anthropicHistory from "../dispatch/anthropic-history.ts";
import * as chatHistory from "../dispatch/chat-history.ts";
import * as responsesHistory from "../dispatch/responses-history.ts";
import { plantBodies, SECRETS } from "./planted-body.ts";
import { causeOf, checkSame, readAll, redact } from "./redaction-check.ts";
import { MOVE_CASES } from "./starter-moves.ts";
import { RULE_CASES } from "./starter-rules.ts";

const shared = join(import.meta.dirname, "../../../shared/cases");

const asBytes = (body: object): Buffer => Buffer.from(JSON.stringify(body));

test("DG-71 none of 200 planted secrets is left, as it was written, decoded, or in capitals", () => {
  const bodies = plantBodies();
  const before = bodies.map(({ body }) => readAll(asBytes(body))).join("\n");
  const after = bodies.map(({ body }) => readAll(redact(asBytes(body)))).join("\n").toLowerCase();
  const planted = SECRETS.filter((secret) => before.includes(secret));
  expect(planted.length).toBeGreaterThanOrEqual(200);
  expect(planted.filter((secret) => after.includes(secret.toLowerCase()))).toEqual([]);
  // Nor any long word of a secret.
  const words = [...new Set(planted.flatMap((secret) => secret.match(/[A-Za-z\u0400-\u9fff]{5,}/g) ?? []))];
  const kept = words.filter((word) => after.includes(word.toLowerCase()));
  expect(kept.filter((word) => !["https", "toolu"].includes(word))).toEqual([]);
  expect(after).not.toMatch(/441902773|8812345/);
});

test("DG-71 a secret does not survive where words of the protocol would", () => {
  for (const secret of SECRETS) {
    const block = { type: secret, role: secret, format: secret, [secret]: 1 };
    const schema = { type: secret, properties: { [secret]: { $ref: `#/$defs/${secret}` } }, [secret]: true };
    const body = { model: secret, [secret]: [block], tools: [{ type: secret, input_schema: schema }], messages: [block] };
    const redacted = readAll(redact(asBytes(body))).toLowerCase();
    expect(redacted).not.toContain(secret.toLowerCase());
  }
});

test("DG-71 the rule cases of every API keep verdict, rules, classes, outcome and edits", () => {
  for (const { body, api, backend, received } of [...RULE_CASES, ...MOVE_CASES]) {
    checkSame(asBytes(body), { api, backend }, received);
  }
});

const histories = [
  ["anthropic-messages", "anthropic", anthropicHistory.legalHistory, anthropicHistory.damage, "messages"],
  ["openai-completions", "openai", chatHistory.legalHistory, chatHistory.damage, "messages"],
  ["openai-responses", "openai", responsesHistory.legalInput, responsesHistory.damage, "input"],
] as const;

for (const [api, backend, legal, damage, rows] of histories) {
  test(`DG-71 a random history of ${api}, damaged or not, is judged the same after redaction`, () => {
    fc.assert(
      fc.property(legal, fc.array(damage as fc.Arbitrary<Change>, { maxLength: 2 }), (body, damages) => {
        const whole = body as unknown as Record<string, readonly object[]>;
        const damaged = damages.reduce((list, change) => change(list), whole[rows]!);
        checkSame(asBytes({ ...body, [rows]: damaged }), { api, backend });
      }),
      { numRuns: Number(process.env.HOLDFAST_TEST_RUNS ?? 500) },
    );
  });
}

type Change = (rows: readonly object[]) => readonly object[];

test("DG-71 length, white space, spelling and broken characters stay", () => {
  const spelled = '{ "messages":[\n {"role":"user" , "content":"caf\\u00e9 \\ud83d  \\n\\u0000end\\/ "},{"role":"user","content":" \\t"} ] }';
  const redacted = redact(Buffer.from(spelled));
  expect(redacted.toString().replaceAll(/[a-z]|\\u00[ef][0-9a-f]/g, "x")).toBe(
    spelled.replaceAll(/[a-z]|\\u00[ef][0-9a-f]/g, "x"),
  );
  const [first, second] = (JSON.parse(redacted.toString()) as { messages: { content: string }[] }).messages;
  expect(first!.content).toMatch(/^[a-z]{3}[\u00e0-\u00ff] \ud83d {2}\n\u0000[a-z]{3}\/ $/);
  expect(second!.content).toBe(" \t");
});

test("DG-71 filler is as long as the text in UTF-16 and in UTF-8, and other words stay other words", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: "binary", maxLength: 12 })), (texts) => {
      const filler = new Filler();
      const filled = texts.map((text) => filler.text(text));
      for (const [index, text] of texts.entries()) {
        expect(filled[index]!.length).toBe(text.length);
        expect(Buffer.byteLength(filled[index]!)).toBe(Buffer.byteLength(text));
        expect(filled[index]!.trim() === "").toBe(text.trim() === "");
      }
      expect(new Set(filled).size).toBe(texts.length);
    }),
  );
});

test("DG-71 the numbers of three digits find different filler, and none stays what it was", () => {
  const filler = new Filler();
  const numbers = Array.from({ length: 900 }, (_, index) => String(index + 100));
  const filled = numbers.map((number) => filler.number(number));
  // Where the only filler left for the last one is itself, it shares another's.
  expect(new Set(filled).size).toBeGreaterThanOrEqual(numbers.length - 1);
  expect(filled.every((number, index) => /^[1-9]\d{2}$/.test(number) && number !== numbers[index])).toBe(true);
  for (const [lexeme, shape] of [
    ["1.0", /^\d\.0$/],
    ["-0.50e3", /^-0\.[1-9]0e3$/],
    ["1E400", /^[1-9]E400$/],
    ["0", /^0$/],
  ] as const) {
    expect(filler.number(lexeme)).toMatch(shape);
  }
  expect(filler.number("7.0")).toBe(`${filler.number("7")}.0`);
});

test.each(["image/png", "image/jpeg"])("DG-71 an image called %s keeps its kind where its size is not found", (media_type) => {
  for (const magic of ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF8", "RIFF1234WEBP", "MM"]) {
    const data = Buffer.concat([Buffer.from(magic, "latin1"), Buffer.alloc(40, 7)]).toString("base64");
    const source = { type: "base64", media_type, data };
    const messages = [{ role: "user", content: [{ type: "image", source }] }];
    checkSame(asBytes({ model: "claude-sonnet-4-5", max_tokens: 9, messages }), { api: "anthropic-messages" });
  }
});

test("DG-71 an image keeps its size and nothing else", () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000a0000000008010000", "hex");
  const gif = Buffer.from("GIF89a\x20\x03\x58\x02", "latin1");
  const jpeg = Buffer.from("ffd8ffe0000a4578696620536563ffc0001108025803200300", "hex");
  const webp = Buffer.from(`RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\0\0\0\x20\x03\x58\x02`, "latin1");
  for (const head of [png, gif, jpeg, webp]) {
    const file = Buffer.concat([head, Buffer.from("taken at the Nightjar hotel, room 12")]);
    const source = { type: "base64", media_type: "image/png", data: file.toString("base64") };
    const body = { messages: [{ role: "user", content: [{ type: "image", source }] }] };
    const redacted = JSON.parse(redact(asBytes(body)).toString()) as typeof body;
    const { data } = redacted.messages[0]!.content[0]!.source;
    expect(data.length).toBe(source.data.length);
    expect(imageSize(Buffer.from(data, "base64"))).toEqual(imageSize(file));
    expect(Buffer.from(data, "base64").toString("latin1")).not.toMatch(/Nightjar|Exif/);
  }
});

test("DG-71 arguments that are JSON stay JSON, and broken ones stay broken", () => {
  const calls = ['{"path":"a\\nb","n":12,"deep":[true,null]}', '{"path":', "[01]", '"x"'].map((args, index) => ({
    id: `call_${index}`,
    type: "function",
    function: { name: "read", arguments: args },
  }));
  const redacted = JSON.parse(redact(asBytes({ messages: [{ role: "assistant", tool_calls: calls }] })).toString());
  const texts = redacted.messages[0].tool_calls.map((call: (typeof calls)[0]) => call.function.arguments) as string[];
  expect(texts.map(isJson)).toEqual([true, false, false, true]);
  expect(JSON.parse(texts[0]!)).not.toEqual(JSON.parse(calls[0]!.function.arguments));
  expect(Object.values(JSON.parse(texts[0]!) as object)[2]).toEqual([true, null]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe.runIf(existsSync(shared))("DG-71 bodies from public reports", () => {
  const folders = ["open", "stateful"].flatMap((kind) => listFolders(join(shared, kind)));
  for (const folder of folders) {
    test(`DG-71 keep verdict and rules: ${folder}`, () => {
      const expected = readJson(join(folder, "expected.json")) as { api: Api; backend: Backend; model: string };
      const file = join(folder, "received.json");
      const received = existsSync(file) ? (readJson(file) as object[]) : [];
      const { api, backend, model } = expected;
      checkSame(readFileSync(join(folder, "request.json")), { api, backend, model }, received);
    });
  }
  for (const folder of listFolders(join(shared, "open-diff"))) {
    test(`DG-71 keep their cause: ${folder}`, () => {
      const { api } = readJson(join(folder, "expected.json")) as { api: Api };
      const [before, after] = ["before.json", "after.json"].map((name) => readFileSync(join(folder, name)));
      const filler = new Filler();
      const redacted = causeOf(redact(before!, filler), redact(after!, filler), api);
      expect(redacted).toEqual(causeOf(before!, after!, api));
    });
  }
});

function listFolders(parent: string): string[] {
  return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
