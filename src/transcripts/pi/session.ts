import { EntryFold } from "../entry-fold.ts";
import type { JsonlAgent } from "../session-fold.ts";
import { homes } from "./home.ts";
import { owns, rules } from "./row.ts";

export const pi: JsonlAgent = {
  agent: "pi",
  rules,
  homes,
  owns,
  openFold: (path, rows, responses) =>
    new EntryFold(path, rows, responses, {
      dropsFailedAnswers: true,
      // Pi answers an open call itself. Orphan and second results, and ids used twice, leave as they are.
      heals: (what) => what === "open_call",
    }),
};
