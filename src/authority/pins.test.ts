import { expect, test } from "vitest";
import { decideCall } from "./call-permission.ts";
import { comparePins, isPinned, type PinnedTool, type PinState } from "./pins.ts";

const pin = (name: string, version: string, scopes: Iterable<string>): PinnedTool => ({
  name,
  version,
  spec: { name, version, required_scopes: scopes },
});
const pins = { epoch: 1, prefixSha256: null, tools: [pin("mail", "1", ["w", "r"]), pin("clock", "1", [])] };

test("RA-12 pins compare by canonical form, and a difference names the tool", () => {
  const check = (tools: readonly PinnedTool[], expected: object) => expect(comparePins(pins, tools)).toEqual(expected);
  check([pin("clock", "1", new Set()), pin("mail", "1", new Set(["r", "w"])), pin("more", "1", [])], { kind: "same" });
  check([pin("clock", "1", []), pin("mail", "2", ["w", "r"])], {
    kind: "tool_pin_mismatch",
    tool: "mail",
    why: "version",
  });
  check([pin("mail", "1", ["w", "r"])], { kind: "tool_pin_mismatch", tool: "clock", why: "missing" });
  check([pin("clock", "1", []), pin("mail", "1", ["r"])], {
    kind: "tool_pin_mismatch",
    tool: "mail",
    why: "specification",
  });
});

test("RA-2 the flag decides, not the number of pins; without the flag, pins do", () => {
  const check = (state: PinState, expected: boolean) => expect(isPinned(state)).toBe(expected);
  check({ pinsInitialised: true, pins: null, pendingCalls: [] }, true);
  check({ pinsInitialised: true, pins: { ...pins, tools: [] }, pendingCalls: [] }, true);
  check({ pinsInitialised: false, pins: null, pendingCalls: [] }, false);
  check({ pins, pendingCalls: [] }, true);
  check({ pins: { ...pins, tools: [] }, pendingCalls: [] }, false);
});

test("RA-4 a call is checked against what was stamped and is still granted, and learns only what is missing", () => {
  const check = (required: string[], run: string[], current: string[], missing: string[]) =>
    expect(decideCall(new Set(required), new Set(run), new Set(current))).toEqual(
      missing.length === 0 ? { kind: "allowed" } : { kind: "denied", missing },
    );
  check(["r", "w"], ["w", "r", "x"], ["r", "w"], []);
  check(["r", "w"], ["r", "w"], ["r"], ["w"]);
  check(["r", "w"], ["r"], ["r", "w"], ["w"]);
  check([], [], [], []);
});
