/** Whether two runs of an agent, each in a home of its own, have sent the same. */
import type { CapturedRequest } from "../../../src/testing/index.ts";

/** Null, or both sides from a little before the place where they part: prompts are too long to be shown. */
export function firstDifference(a: string, b: string): readonly string[] | null {
  if (a === b) return null;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return [a, b].map((text) => text.slice(Math.max(0, at - 60), at + 60));
}

/** The body without what two homes and two moments differ in: the folder, session ids, and how long a command took. */
export function withoutPlace({ body }: CapturedRequest, folder: string): string {
  return body
    .toString()
    .replaceAll(folder, "HOME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/\bses_\w+/g, "SESSION")
    .replaceAll(/Wall time: [\d.]+ seconds/g, "Wall time");
}
