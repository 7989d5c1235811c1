import { expect, test } from "vitest";
import { showPair } from "./shown-value.ts";

test("DF-10 a value is cut to the place that moved", () => {
  const around = "A quiet sentence of the prompt. ".repeat(20);
  const { before, after } = showPair(`${around}ropes${around}`, `${around}candles${around}`);
  expect(before).toMatch(/^….{10,40}ropesA quiet.*…$/);
  expect(after).toMatch(/^….{10,40}candlesA quiet.*…$/);
  expect(before!.length).toBeLessThan(130);
  expect(showPair(undefined, { role: "user" })).toEqual({ before: null, after: '{"role":"user"}' });
  expect(showPair(`${"x".repeat(39)}\u{1f9fa}`, `${"x".repeat(39)}\u{1f9f5}`).after!.isWellFormed()).toBe(true);
});

test("DF-10 nothing that looks like a secret is shown", () => {
  const secrets = [
    "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUv",
    "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "AKIAABCDEFGHIJKLMNOP",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "hunter2hunter2",
    "ada.jar@shelf.example.org",
    "adajar",
    "c2VjcmV0OnZhbHVl",
  ];
  const text = [
    `key ${secrets[0]}`,
    `token ${secrets[1]}`,
    secrets[2],
    `jwt ${secrets[3]}`,
    `password: "${secrets[4]}"`,
    `mail ${secrets[5]}`,
    `C:\\Users\\${secrets[6]}\\shelf`,
    `Authorization: Basic ${secrets[7]}`,
  ];
  for (const [index, line] of text.entries()) {
    const shown = showPair("", line).after;
    expect(shown).not.toContain(secrets[index]);
  }
  expect(showPair("", "a plain line of three jars, sorted by size").after).toBe(
    "a plain line of three jars, sorted by size",
  );
});
