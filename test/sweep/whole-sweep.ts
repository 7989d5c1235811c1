/** Every runtime × locale × time zone. Run as: npm --prefix test/sweep ci && npm --prefix test/sweep test */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXPECTED, LOCALES, sweep, ZONES } from "./sweep.ts";

const ROUNDS = 50;

const runtimes = ["node22/bin/node", "node24/bin/node", "node26/bin/node", "bun/bin/bun.exe"].map((path) => {
  const runtime = fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
  if (!existsSync(runtime)) throw new Error(`${runtime} is missing; run npm --prefix test/sweep ci first`);
  return runtime;
});
const places = runtimes.flatMap((runtime) =>
  LOCALES.flatMap((locale) => ZONES.map((zone) => ({ runtime, locale, zone }))),
);
const folder = mkdtempSync(join(tmpdir(), "holdfast-sweep-"));
try {
  const { identities, changes } = await sweep(places, {
    rounds: ROUNDS,
    storeUrl: `sqlite:${join(folder, "sweep.db")}`,
  });
  const kept = changes.filter((change) => change === "keep").length;
  const isOne = identities.length === 1 && identities[0] === EXPECTED && kept === places.length - 1;
  console.log(
    `${places.length} processes, ${identities.length} identity, ${kept} of ${places.length - 1} kept the plan`,
  );
  for (const identity of isOne ? [] : identities) console.log(identity);
  process.exitCode = isOne ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
