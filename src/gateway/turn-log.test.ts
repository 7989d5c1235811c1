import { expect, test } from "vitest";
import { createTurnLog, type TurnEntry } from "./turn-log.ts";

test("GW-11 turns stand in the order in which they came, also where one ends behind later ones", () => {
  const log = createTurnLog();
  for (const at of [1, 3, 2, 4]) log.add({ id: `${at}`, at, session: null } as TurnEntry);
  expect(log.turns().map(({ at }) => at)).toEqual([4, 3, 2, 1]);
});

test("GW-11 the oldest turn goes when there are too many, and one that is older than all has no place", () => {
  const log = createTurnLog();
  for (let at = 1; at <= 200; at++) log.add({ id: `${at}`, at, session: null } as TurnEntry);
  log.add({ id: "0", at: 0, session: null } as TurnEntry);
  log.add({ id: "201", at: 201, session: null } as TurnEntry);
  expect(log.turns()).toHaveLength(200);
  expect(log.turns()[0]).toMatchObject({ at: 201 });
  expect(log.turns().at(-1)).toMatchObject({ at: 2 });
});
