import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { locateDataFolder } from "../store/data-folder.ts";
import type { Command } from "./command.ts";
import { CONFIG_FLAGS, type Config, type ConfigFlag, readConfig } from "./config.ts";
import { EXIT } from "./exit.ts";
import { parseInvocation } from "./invocation.ts";

const flags = Object.keys(CONFIG_FLAGS) as ConfigFlag[];
const command: Command = {
  name: "start",
  operands: "",
  about: "",
  flags: Object.values(CONFIG_FLAGS),
  run: async () => EXIT.fine,
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(file: string | null, env: NodeJS.ProcessEnv, words: readonly string[]): Promise<Config> {
  const path = join(folder, "holdfast.config.json");
  await writeFile(path, file ?? "{}");
  return readConfig(parseInvocation(command, words), flags, { XDG_DATA_HOME: "data", HOLDFAST_CONFIG: path, ...env });
}

test("CL-4 a flag wins over the environment, that over the file, that over the default", async () => {
  const file = JSON.stringify({ $schema: "x", port: 1, host: "localhost", mode: "observe" });
  const config = await read(file, { HOLDFAST_PORT: "2", HOLDFAST_HOST: "::1" }, ["--port", "3"]);
  expect(config).toEqual({
    port: 3,
    host: "::1",
    mode: "observe",
    store: `sqlite:${join("data", "holdfast", "holdfast.db")}`,
    upstreams: [],
  });
});

test("CL-4 upstreams come as words or as objects", async () => {
  const file = JSON.stringify({
    upstreams: [{ name: "lab", url: "http://lab.test:8000/v1", api: "openai-completions", backend: "vllm" }],
  });
  expect((await read(file, {}, [])).upstreams).toEqual(JSON.parse(file).upstreams);
  expect((await read(file, { HOLDFAST_UPSTREAMS: "a=http://a.test b=http://b.test" }, [])).upstreams).toHaveLength(2);
  const words = ["--upstream", "anthropic=http://localhost:1/x?y=z"];
  expect((await read(file, {}, words)).upstreams).toEqual([{ name: "anthropic", url: "http://localhost:1/x?y=z" }]);
});

test("CL-4 a bad setting is named by its place and the expected type", async () => {
  for (const [file, env, words, message] of [
    ['{"port":"x"}', {}, [], "holdfast.config.json /port: expected number, received string"],
    ['{"prot":1}', {}, [], "holdfast.config.json /prot: there is no such setting, did you mean port?"],
    ['{"upstreams":[{"name":"a","url":3}]}', {}, [], "/upstreams/0/url: expected a URL (string)"],
    ['{"mode":"gard"}', {}, [], '/mode: expected one of "guard"|"observe"'],
    ["[]", {}, [], "holdfast.config.json /: expected object, received array"],
    ["{", {}, [], "can't be read"],
    [null, { HOLDFAST_PORT: "many" }, [], 'HOLDFAST_PORT "many": expected number'],
    [null, {}, ["--port", "99999"], '--port "99999": Too big: expected number to be <=65535'],
    [null, {}, ["--upstream", "lab"], '--upstream "lab": expected NAME=URL'],
    [null, {}, ["--upstream", "lab=ftp://x"], '--upstream "lab=ftp://x": expected a URL'],
    [null, { HOLDFAST_CONFIG: "missing.json" }, [], "missing.json can't be read"],
  ] as const) {
    await expect(read(file, env, words), message).rejects.toThrow(message);
  }
});

test("CL-4 a token that is refused is not shown", async () => {
  await expect(read(null, { HOLDFAST_TOKEN: "hunter2" }, [])).rejects.toThrow(
    /^HOLDFAST_TOKEN: expected a string of 16/,
  );
});

test("CL-5 data lives where the platform keeps data", () => {
  for (const [env, platform, expected] of [
    [{ XDG_DATA_HOME: "/x" }, "darwin", join("/x", "holdfast")],
    [{}, "linux", join("/h", ".local", "share", "holdfast")],
    [{}, "darwin", join("/h", "Library", "Application Support", "holdfast")],
    [{ LOCALAPPDATA: "/l" }, "win32", join("/l", "holdfast")],
  ] as const) {
    expect(locateDataFolder(env, platform, "/h")).toBe(expected);
  }
});
