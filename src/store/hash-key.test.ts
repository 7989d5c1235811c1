import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openHashKey } from "./hash-key.ts";

test("DG-75 the key is made once, for this user only, and stays", () => {
  const path = join(temporaryFolder(), "data", "store.key");
  const key = openHashKey(path);

  expect(key).toHaveLength(32);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(openHashKey(path)).toEqual(key);
  expect(readdirSync(join(path, ".."))).toEqual(["store.key"]);
  expect(openHashKey(`${path}2`)).not.toEqual(key);
});

test("DG-75 processes that start at once get one key", () => {
  const path = join(temporaryFolder(), "store.key");
  const module = new URL("./hash-key.ts", import.meta.url).href;
  const script = `import { openHashKey } from ${JSON.stringify(module)};
    process.stdout.write(Buffer.from(openHashKey(${JSON.stringify(path)})).toString("hex") + " ");`;
  const eight = Array.from({ length: 8 }, () => `"$0" --input-type=module -e "$1" &`).join(" ");
  const { stdout } = spawnSync("sh", ["-c", `${eight} wait`, process.execPath, script], { encoding: "utf8" });

  expect(stdout.trim().split(" ")).toEqual(Array(8).fill(readFileSync(path).toString("hex")));
});

test("DG-75 a damaged key is moved aside and replaced", () => {
  const path = join(temporaryFolder(), "store.key");
  writeFileSync(path, "short");

  expect(openHashKey(path)).toHaveLength(32);
  expect(readFileSync(`${path}.damaged`, "utf8")).toBe("short");
});

test("DG-75 a key that cannot be kept is a clear error", () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");

  expect(() => openHashKey(join(file, "store.key"))).toThrow(expect.objectContaining({ code: "hash_key_unusable" }));
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
