import { expect, test } from "vitest";
import { recogniseVolatile, type VolatileKind } from "./volatile-text.ts";

function check(kind: VolatileKind | null, pairs: readonly (readonly [before: string, after: string])[]): void {
  for (const [before, after] of pairs) expect(recogniseVolatile(before, after), `${before} / ${after}`).toBe(kind);
}

test("DF-4 dates and times in the forms that hosts write are a clock", () => {
  check("clock", [
    ["Current time: 2026-03-14 09:26", "Current time: 2026-03-14 10:07"],
    ["Now: 2026-03-14T09:26:53Z.", "Now: 2026-03-15T00:00:07Z."],
    ["Now: 2026-03-14T09:26:53.123+01:00", "Now: 2026-03-14T09:26:54.9+01:00"],
    ["Today's date: Mon Nov 30 2026", "Today's date: Tue Dec 1 2026"],
    ["Today is Saturday, March 14, 2026.", "Today is Sunday, March 15, 2026."],
    ["Today is 14 March 2026.", "Today is 1 April 2026."],
    ["Date: 3/14/2026, 9:26:53 AM", "Date: 3/14/2026, 12:01:00 PM"],
    ["It is 9 AM.", "It is 11 PM."],
    ["<timestamp>1773480413</timestamp>", "<timestamp>1773480999</timestamp>"],
    ["at 1773480413000 ms", "at 1773480413777 ms"],
    ["Sat Mar 14 09:26:53 CET 2026", "Sun Mar 29 10:00:00 CEST 2026"],
    ["snapshot 20260314T092653Z", "snapshot 20260315T000000Z"],
    ["build 20260314", "build 20260315"],
    ["Today: 14-Mar-2026", "Today: 1-Apr-2026"],
    ["今日は2026年3月14日です", "今日は2026年3月15日です"],
    ["Last change: 5 minutes ago", "Last change: 1 hour ago"],
    ["Date: 2026-03-14\nTurn 3\nTime: 09:26", "Date: 2026-03-15\nTurn 4\nTime: 10:00"],
  ]);
});

test("DF-4 ids, paths, git state and counters are told from each other", () => {
  check("uuid", [["run 0f0f0f0f-0000-4000-8000-00000000232d ok", "run 1f0f0f0f-0000-4000-8000-00000000232e ok"]]);
  check("run_id", [
    ["session ses_7f3Kq9aB2x", "session ses_9a8Bq1cD3y"],
    ["trace 9fK3mQ7zX2pL8", "trace 1aK3mQ7zX2pL9"],
  ]);
  check("path", [
    ["Working directory: ~/desk/attic", "Working directory: ~/desk/cellar/box"],
    ["<cwd>/attic</cwd>", "<cwd>/cellar</cwd>"],
    ["Current working directory: C:\\My desk\\a", "Current working directory: C:\\My shelf\\b c"],
  ]);
  check("git", [
    ["at commit 9fceb02d0ae5", "at commit 1a2b3c4d5e6f"],
    ["Git status:\n M jar.txt\n?? lid.txt\n", "Git status:\n M jar.txt\n"],
    ["On branch main\nnothing", "On branch attic\nnothing"],
    ["Current branch: main\nRecent commits:\nadd jars", "Current branch: main\nRecent commits:\ncount lids\nadd jars"],
  ]);
  check("counter", [
    ["Turn 9 of 40", "Turn 10 of 40"],
    ["Tokens left: 12,345", "Tokens left: 9,001"],
  ]);
});

test("DF-4 other words are no volatile text, whatever stands beside them", () => {
  check(null, [
    ["The user asked about ropes.", "The user asked about candles."],
    ["Time: 09:26. Be brief.", "Time: 09:27. Be kind."],
    ["Git status:\n M jar.txt\n\n# Rules\nBe brief.", "Git status:\n M jar.txt\n\n# Rules\nBe kind."],
    ["Be brief.", "Be brief. Count twice."],
    ["The workspace is tidy / clean.", "The workspace is tidy / dusty."],
  ]);
});

test("DF-4 no text makes the search slow", () => {
  const long = (piece: string): string => piece.repeat(200_000);
  for (const piece of ["a1", "/a", "1", "Mar ", "a-", "09:", "0f"]) {
    recogniseVolatile(`${long(piece)}x${long(piece)}`, `${long(piece)}y${long(piece)}`);
    recogniseVolatile(`${long(piece)}`, `b`);
    recogniseVolatile(piece.repeat(16_000), piece.repeat(15_000));
  }
  check(null, [[long("a"), long("b")]]);
});
