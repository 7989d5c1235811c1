/**
 * One body for each hard rule (`test/corpus/rules`), put in the place of what Pi and OMP are about to send: it is repaired or
 * degraded as its fixture says, and none ends a turn before the provider has seen it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CorpusFolder, type StoredFixture } from "../../../src/corpus/corpus-folder.ts";
import { useBuiltPackage } from "../../hosts/stage/built-package.ts";
import { setDirectStage } from "../../hosts/stage/direct-stage.ts";
import { type HostApi, hostsAndApis } from "../../hosts/stage/pi-and-omp.ts";
import { readCounts } from "../../hosts/stage/stored-counts.ts";

const holdfast = useBuiltPackage();
const corpus = new CorpusFolder(join(import.meta.dirname, "../../corpus/rules"));
const BACKENDS = { "anthropic-messages": "anthropic", "openai-completions": "openai", "openai-responses": "openai" };

/**
 * Of the vendor itself, and without what a provider must have said before. The degraded ones come last: each closes its
 * lane, and histories that begin alike are branches of one.
 */
function fixturesOf(api: HostApi): readonly StoredFixture[] {
  const all = corpus.listIds().map((id) => corpus.readFixture(id));
  const own = all.filter(({ fixture, received }) => {
    return fixture!.api === api && fixture!.backend === BACKENDS[api] && received.length === 0;
  });
  return own.toSorted((a, b) => Number(isDegraded(a)) - Number(isDegraded(b)));
}

const isDegraded = ({ fixture }: StoredFixture) => fixture!.outcome === "degraded";

test.each(hostsAndApis)(
  "DG-2, DG-10 acceptance 2 on %s, %s: each hard violation is repaired or degraded, and no turn is lost",
  async (_host, api, { open }) => {
    const fixtures = fixturesOf(api);
    const stage = await setDirectStage();
    const { folder, storePath, install, extend, run } = await open(stage, api);
    install(holdfast.folder);
    const bodies = Object.fromEntries(fixtures.map(({ id, bytes }) => [id, Buffer.from(bytes).toString()]));
    writeFileSync(`${folder}/bodies.json`, JSON.stringify(bodies));
    extend("fixtures", REPLACE);
    await run(fixtures.map(({ id }) => `Send ${id} now`));
    const sent = readFileSync(`${folder}/sent`, "utf8").trimEnd().split("\n");
    const { requests } = stage.provider;
    expect(requests).toHaveLength(sent.length);
    const seen = fixtures.map(({ id }) => [id, requests[sent.indexOf(id)]?.status]);
    expect(seen).toEqual(fixtures.map((one) => [one.id, isDegraded(one) ? 400 : 200]));
    const counts = await readCounts(storePath);
    expect(counts.sum("request")).toBe(sent.length);
    expect(counts.of("own_failure")).toEqual([]);
  },
);

/** The body that the user's newest word names. Some hosts send again after a rejection. */
const REPLACE = `import { appendFileSync, readFileSync } from "node:fs";
const bodies = JSON.parse(readFileSync(process.env.HOME + "/bodies.json", "utf8"));
export default (pi) => pi.on("before_provider_request", ({ payload }) => {
  const id = [...JSON.stringify(payload).matchAll(/Send ([A-Z0-9-]+) now/g)].at(-1)[1];
  appendFileSync(process.env.HOME + "/sent", id + "\\n");
  return { ...JSON.parse(bodies[id]), stream: true };
});`;
