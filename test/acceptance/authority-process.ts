/** One process runs one step of every case of RA-5, and prints what did not come out. Run as: node authority-process.ts URL STEP */
import { openStore } from "../../src/store/open-store.ts";
import { AUTHORITY_CASES } from "./authority-case.ts";
import { checkStep } from "./authority-step.ts";

const [url = "", step = "0"] = process.argv.slice(2);
const store = await openStore(url);
for (const one of AUTHORITY_CASES) {
  const next = one.steps[Number(step)];
  const problem = next === undefined ? null : await checkStep(store, one, next);
  if (problem !== null) process.stdout.write(`${one.title}, step ${step}: ${problem}\n`);
}
await store.close();
