import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type HostSettings, readHostSettings } from "./host-settings.ts";

/** A home with these files, and what is read of one agent in it. `HOME` in a file is the home. */
function check(command: string, files: Readonly<Record<string, string>>, expected: HostSettings["extension"]): void {
  const home = mkdtempSync(join(tmpdir(), "holdfast-hosts-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const copy = { "copy/package.json": '{"name": "holdfast"}', "copy/dist/pi.js": "", "other/package.json": "{}" };
  for (const [name, text] of Object.entries({ ...copy, ...files })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text.replaceAll("HOME", home));
  }
  const settings = readHostSettings(command, {
    env: {},
    home,
    folder: join(home, "work"),
    gateway: ["127.0.0.1:4141"],
  });
  expect(settings.extension, `${command} ${JSON.stringify(files)}`).toBe(expected);
}

const pi = ".pi/agent/settings.json";
const omp = ".omp/agent/config.yml";
const opencode = ".config/opencode/opencode.json";

test("an extension is active where the agent's settings load this package", () => {
  for (const [command, file, text, expected] of [
    ["claude", ".claude/settings.json", "{}", "none"],
    ["pi", "nothing", "", "absent"],
    ["pi", pi, '{"packages": ["npm:holdfast@1.2.3"]}', "active"],
    ["pi", pi, '{"packages": [{"source": "npm:holdfast"}]}', "active"],
    ["pi", pi, '{"packages": [{"source": "npm:holdfast", "extensions": []}]}', "absent"],
    ["pi", pi, '{"packages": ["npm:holdfast-theme", "npm:@holdfast/x"]}', "absent"],
    ["pi", pi, '{"extensions": ["../../copy/dist/pi.js"]}', "active"],
    ["pi", pi, '{"extensions": ["HOME/other"]}', "absent"],
    ["pi", pi, '{"extensions": ["HOME/gone/holdfast"]}', "missing"],
    ["pi", pi, "{", "absent"],
    ["pi", "work/.pi/settings.json", '{"packages": ["git:github.com/a/holdfast@v1"]}', "active"],
    ["omp", omp, "startup:\n  quiet: true\nextensions:\n  # ours\n  - 'HOME/copy' # local\n  - b\n", "active"],
    ["omp", omp, 'extensions: [a, "~/copy"]\n', "active"],
    ["omp", omp, '{"extensions": ["~/copy"]}', "active"],
    ["omp", omp, "disabledExtensions:\n  - ~/copy\nextensions: []\nskills:\n  - ~/copy\n", "absent"],
    ["omp", ".omp/plugins/package.json", '{"dependencies": {"holdfast": "1.0.0"}}', "active"],
    ["opencode", opencode, '{"plugin": ["file://HOME/copy"]}', "active"],
    ["opencode", `${opencode}c`, '{ // mine\n "plugin": [["holdfast@latest", {"a": "//"}],], }', "active"],
    ["opencode", opencode, '{"plugin": ["file://HOME/other"]}', "absent"],
  ] as const) {
    check(command, { [file]: text }, expected);
  }
});
