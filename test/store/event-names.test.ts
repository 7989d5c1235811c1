import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/reference/events.md"), "utf8");
const eventRows = [...page.matchAll(/^\| `([a-z_]+\.[a-z_.]+)` \| ([^|\s]+) \|/gm)];
const documented = eventRows.map((row) => row[1]!);

/** Layers that write events; the wire and its simulated providers have dotted names of their own. */
const writers = /^src\/(authority|plan|cache|session|runtime|engine)\//;

test("DG-76 every event that the source names is listed, and every listed event has a form", () => {
  expect(findEventNames(sources()).filter((name) => !documented.includes(name))).toEqual([]);
  expect(findEventNames([{ path: "src/engine/a.ts", text: 'write("rule.wind.turned")' }])).toEqual([
    "rule.wind.turned",
  ]);
  expect(documented.filter((name) => !/^[a-z_]+(\.[a-z_]+){2}$/.test(name))).toEqual([]);
  expect(eventRows.filter((row) => !/^\d+$/.test(row[2]!)).map((row) => row[1])).toEqual([]);
  expect(new Set(documented).size).toBe(documented.length);
});

interface Source {
  readonly path: string;
  readonly text: string;
}

function sources(): readonly Source[] {
  const names = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const paths = names.map((name) => `src/${name.replaceAll("\\", "/")}`);
  return paths
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && writers.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function findEventNames(files: readonly Source[]): readonly string[] {
  const names = files.flatMap(({ text }) =>
    [...text.matchAll(/"([a-z_]+\.[a-z_]+\.[a-z_]+)"/g)].map((match) => match[1]!),
  );
  return [...new Set(names)];
}
