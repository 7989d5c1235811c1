import { describe, expect, test } from "vitest";
import type { PromptSegment } from "./marked-cache.ts";
import { PrefixCacheMeter } from "./prefix-cache-meter.ts";

/** A segment of so many tokens. */
function segment(name: string, tokens: number, marker?: "5m" | "1h"): PromptSegment {
  const text = name.padEnd(tokens * 4, ".");
  return marker === undefined ? { text } : { text, marker };
}

function meterAt(start = 0) {
  const clock = { at: start, now: () => clock.at };
  return { meter: new PrefixCacheMeter(clock), clock };
}

const minutes = 60_000;

describe("breakpoints", () => {
  const tools = segment("tools", 1000);
  const first = [tools, segment("system", 500, "5m"), segment("one", 100, "5m")];
  const second = [tools, segment("system", 500, "5m"), segment("one", 100), segment("two", 50, "5m")];

  test("the second turn reads what the first wrote and writes only what is new", () => {
    const { meter } = meterAt();
    expect(meter.measureMarked("m", first, 1024)).toMatchObject({ read: 0, written: 1600, uncached: 0 });
    expect(meter.measureMarked("m", second, 1024)).toMatchObject({ read: 1600, written: 50, uncached: 0 });
    expect(meter.measureMarked("m", [...second, segment("tail", 7)], 1024)).toMatchObject({ read: 1650, uncached: 7 });
    expect(meter.turns).toHaveLength(3);
  });

  test("a change reads up to the last breakpoint in front of it", () => {
    const { meter } = meterAt();
    meter.measureMarked("m", first, 1024);
    const changed = [tools, segment("system", 500, "5m"), segment("other", 100, "5m")];
    expect(meter.measureMarked("m", changed, 1024)).toMatchObject({ read: 1500, written: 100 });
    expect(meter.measureMarked("m", [segment("x", 1), ...first], 1024)).toMatchObject({ read: 0, written: 1601 });
  });

  test("another model reads nothing, and neither does a prefix below the minimum", () => {
    const { meter } = meterAt();
    meter.measureMarked("m", first, 1024);
    expect(meter.measureMarked("n", first, 1024)).toMatchObject({ read: 0 });
    expect(meter.measureMarked("m", [segment("small", 100, "5m")], 1024)).toMatchObject({ written: 0, uncached: 100 });
    expect(meter.measureMarked("o", first, 1600)).toMatchObject({ written: 1600 });
    expect(meter.measureMarked("p", first, 1601)).toMatchObject({ written: 0, uncached: 1600 });
  });

  test("an entry lives five minutes or an hour from its last use", () => {
    const { meter, clock } = meterAt();
    const hour = [segment("tools", 2000, "1h"), segment("one", 100, "5m")];
    expect(meter.measureMarked("m", hour, 1024)).toMatchObject({ written: 2100, written1h: 2000 });
    clock.at += 4 * minutes;
    expect(meter.measureMarked("m", hour, 1024)).toMatchObject({ read: 2100 });
    clock.at += 4 * minutes;
    expect(meter.measureMarked("m", hour, 1024)).toMatchObject({ read: 2100 });
    clock.at += 5 * minutes;
    expect(meter.measureMarked("m", hour, 1024)).toMatchObject({ read: 2000, written: 100, written1h: 0 });
    clock.at += 60 * minutes;
    expect(meter.measureMarked("m", hour, 1024)).toMatchObject({ read: 0, written: 2100 });
  });

  test("an entry more than twenty blocks in front of the breakpoint is not found", () => {
    const blocks = (count: number) => Array.from({ length: count }, (_, at) => segment(`b${at}`, 10));
    for (const [between, read] of [
      [19, 2000],
      [20, 0],
    ] as const) {
      const { meter } = meterAt();
      meter.measureMarked("m", [segment("tools", 2000, "5m")], 1024);
      const grown = [segment("tools", 2000), ...blocks(between), segment("end", 10, "5m")];
      expect(meter.measureMarked("m", grown, 1024).read).toBe(read);
    }
  });

  test("a weightless segment changes the key and counts nothing", () => {
    const { meter } = meterAt();
    const thinking = (on: boolean) => ({ text: `thinking ${on}`, weightless: true });
    const prompt = (on: boolean) => [segment("system", 2000, "5m"), thinking(on), segment("one", 100, "5m")];
    expect(meter.measureMarked("m", prompt(true), 1024)).toMatchObject({ written: 2100 });
    expect(meter.measureMarked("m", prompt(false), 1024)).toMatchObject({ read: 2000, written: 100 });
  });

  test("after a reset the cache is cold", () => {
    const { meter } = meterAt();
    meter.measureMarked("m", first, 1024);
    meter.reset();
    expect(meter.turns).toHaveLength(0);
    expect(meter.measureMarked("m", first, 1024)).toMatchObject({ read: 0 });
  });
});

describe("longest common prefix", () => {
  const prompt = (tokens: number, end = "") => `${"x".repeat(tokens * 4)}${end}`;

  test("whole steps of 128 tokens are read, from 1024 on", () => {
    const { meter, clock } = meterAt();
    expect(meter.measureAutomatic("m", prompt(1023))).toMatchObject({ read: 0, written: 0, uncached: 1023 });
    expect(meter.measureAutomatic("m", prompt(1400))).toMatchObject({ read: 0, written: 1280, uncached: 120 });
    expect(meter.measureAutomatic("m", prompt(1300, "other"))).toMatchObject({ read: 1280 });
    expect(meter.measureAutomatic("m", `y${prompt(1400)}`)).toMatchObject({ read: 0 });
    expect(meter.measureAutomatic("n", prompt(1400))).toMatchObject({ read: 0 });
    clock.at += 30 * minutes;
    expect(meter.measureAutomatic("m", prompt(1400))).toMatchObject({ read: 0 });
  });
});
