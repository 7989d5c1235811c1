import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { useBuiltPackage } from "./stage/built-package.ts";
import { temporaryFolder } from "./stage/temporary-folder.ts";

const holdfast = useBuiltPackage();

const packages = fileURLToPath(new URL("node_modules", import.meta.url));

/** OpenCode's binary is a Bun of its own, older than the one that OMP runs on. */
const runtimes = {
  node: process.execPath,
  "the Bun of OMP": `${packages}/.bin/bun`,
  "the Bun of OpenCode": `${packages}/opencode-linux-x64/bin/opencode`,
};

test("HO-8, RT-1 the runtimes of all agents go on with one store, each where the last one stopped", () => {
  const folder = temporaryFolder();
  const script = `${folder}/append.mjs`;
  writeFileSync(
    script,
    `import { openStore } from "${holdfast.folder}/dist/store/open-store.js";
    const store = await openStore("sqlite:${folder}/holdfast.db");
    const owner = { tenant: "one", principal: "two" };
    const before = await store.read(owner, "stream");
    const event = { type: "test.runtime.seen", data: Buffer.from(process.argv[2]) };
    await store.append(owner, "stream", 0, [event]);
    await store.append(owner, "stream", before.length, [event]);
    await store.addCounts([{ name: "runs", labels: {}, count: 1 }]);
    const after = await store.read(owner, "stream");
    const { locked, problems } = await store.check();
    console.log(JSON.stringify([after.map(({ data }) => Buffer.from(data).toString()), await store.counts(), locked, problems]));
    await store.close();`,
  );
  const seen: string[] = [];
  for (const [name, program] of [...Object.entries(runtimes), ...Object.entries(runtimes)]) {
    const output = execFileSync(program, [script, name], {
      env: { ...process.env, BUN_BE_BUN: "1" },
      encoding: "utf8",
    });
    seen.push(name);
    const counts = [{ name: "runs", labels: {}, count: seen.length }];
    expect(JSON.parse(output)).toEqual([seen, counts, false, []]);
  }
});
