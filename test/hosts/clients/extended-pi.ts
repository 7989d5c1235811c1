/** Pi with Holdfast as one of its packages. */
import { readFileSync, writeFileSync } from "node:fs";
import { startAgent } from "../stage/agent-process.ts";
import { upstreamsOf } from "../stage/direct-stage.ts";
import type { ExtendedAgent } from "../stage/extension-suite.ts";
import type { Stage } from "../stage/stage.ts";
import { makePiHome, piTurn, sessionFile } from "./pi.ts";

const SESSION = "session-of-the-test";

export function openExtendedPi(stage: Stage, model: string): ExtendedAgent {
  const home = makePiHome(stage);
  const settingsPath = `${home.folder}/agent/settings.json`;
  return {
    folder: home.folder,
    storePath: `${home.folder}/.local/share/holdfast/holdfast.db`,
    install(packageFolder) {
      const settings = JSON.parse(readFileSync(settingsPath, "utf8"));
      writeFileSync(settingsPath, JSON.stringify({ ...settings, packages: [packageFolder] }));
    },
    say(text) {
      const command = piTurn(home, model, SESSION, text);
      const environment = { ...command.environment, HOLDFAST_UPSTREAMS: upstreamsOf(stage) };
      return startAgent({ ...command, environment }).ended;
    },
    breakHistory: () => abortCall(sessionFile(home, SESSION)),
  };
}

/** As an interrupt behind a finished tool leaves it: Pi then leaves the call out and sends its result. */
function abortCall(file: string): void {
  const rows = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const call = rows.findLast(({ message }) => message?.stopReason === "toolUse");
  call.message.stopReason = "aborted";
  writeFileSync(file, `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`);
}
