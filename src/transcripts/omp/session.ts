import { EntryFold } from "../entry-fold.ts";
import type { JsonlAgent } from "../session-fold.ts";
import { homes } from "./home.ts";
import { owns, rules } from "./row.ts";

export const omp: JsonlAgent = {
  agent: "omp",
  rules,
  homes,
  owns,
  // OMP keeps failed answers with their results, and repairs every broken pair on the way out.
  openFold: (path, rows, responses) =>
    new EntryFold(path, rows, responses, { dropsFailedAnswers: false, heals: (what) => what !== "lone_surrogate" }),
};
