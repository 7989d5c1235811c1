/** The rows and columns of docs/reference/host-matrix.md, in the order in which they stand there. */

export const hosts = ["Pi", "OMP", "OpenCode", "AI SDK 7", "AI SDK 6", "fetch"] as const;
export type Host = (typeof hosts)[number];

/** What has to hold in a host, in a person's words. */
export const stages = {
  "hook order": "the hooks that Holdfast uses come in the order that it counts on",
  "same bytes": "an undisturbed session has the bytes and the cache reads that it has without Holdfast",
  "repair ahead": "a history that is rejected without Holdfast is repaired before it leaves, and the repair stays",
  "repair after a 400": "a rejection that a rule explains is answered with its repair",
  "unmodelled shape": "ten turns with a shape that nothing models: one divergence at most, flat cache writes",
  "model switch": "a broken session moves to another model or API and back",
  restart: "the next process goes on with the same repair",
  "side turn": "titles and questions beside the conversation have a lane of their own, and leave the main one alone",
  "two processes": "two of them on one session and one store at once",
  "throw in our code": "the turn goes on, with a count",
  "slow code of ours": "the turn goes on after two seconds, with a count",
  "store locked": "the turn goes on, and is repaired",
  prepared: "what the host meant to send is compared with what it sends",
  operations: "the host names its operations",
  "/holdfast": "shows this session's verdicts and the last repair",
} as const;
export type Stage = keyof typeof stages;
