/** Pi in print mode: every turn is a process of its own that resumes the session from its file. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AgentCommand, runAgent, startAgent } from "../stage/agent-process.ts";
import type { Agent } from "../stage/agent-suite.ts";
import { interruptInStream } from "../stage/interrupt-in-stream.ts";
import type { Stage } from "../stage/stage.ts";
import { temporaryFolder } from "../stage/temporary-folder.ts";
import type { PiVendor } from "./pi-vendors.ts";

const cli = fileURLToPath(import.meta.resolve("@earendil-works/pi-coding-agent")).replace(
  /dist\/.*/,
  "dist/bundle/cli.js",
);

/** Created by the first turn, resumed by all others. */
const SESSION = "session-of-the-test";

/** The three lanes of Pi that the provider speaks. */
export const piModels = {
  "anthropic-messages": "anthropic/claude-opus-5-5",
  "openai-responses": "openai/gpt-5.5",
  "openai-completions": "local/gpt-4.1",
} as const;

/** An agent whose session can be taken up with another model. */
export interface PiAgent extends Agent {
  use(model: string): void;
  /** A turn of another session in the same folder, as a sub-agent is one. */
  sayAside(text: string): Promise<string>;
  /** Turns of the session in one process. */
  command(texts: readonly string[]): AgentCommand;
}

/** @param vendor beside the servers of every test */
export async function openPi(stage: Stage, firstModel: string, vendor?: PiVendor): Promise<PiAgent> {
  const folder = makeHome(stage, vendor?.providers(stage));
  const workFolder = `${folder}/work`;
  let model = firstModel;
  const turns = (texts: readonly string[], session = SESSION): AgentCommand => ({
    program: process.execPath,
    words: [cli, "--model", model, "--session-id", session, "-p", ...texts],
    folder: workFolder,
    environment: {
      PATH: "/usr/bin:/bin",
      HOME: folder,
      TERM: "dumb",
      LANG: "C.UTF-8",
      PI_CODING_AGENT_DIR: `${folder}/agent`,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      PI_SKIP_VERSION_CHECK: "1",
      ...vendor?.environment(stage),
    },
  });
  return {
    workFolder,
    keepsOpenCalls: true,
    start: (text) => startAgent(turns([text])),
    say: (text) => runAgent(turns([text])),
    sayAside: (text) => runAgent(turns([text], "session-at-its-side")),
    command: turns,
    sayAndLeave: (text) => interruptInStream(stage, () => startAgent(turns([text])), "SIGTERM"),
    breakHistory: async () => interruptCall(findSessionFile(`${folder}/agent/sessions`)),
    use(next) {
      model = next;
    },
  };
}

/** Redirects Pi's own providers as docs/guides/connect.md says, and adds one that speaks Chat Completions. */
function makeHome(stage: Stage, vendors: Readonly<Record<string, object>> = {}): string {
  const folder = temporaryFolder();
  mkdirSync(`${folder}/agent`);
  mkdirSync(`${folder}/work`);
  const apiKey = "key-of-the-user";
  const chatModel = { id: "gpt-4.1", input: ["text"], contextWindow: 128_000, maxTokens: 4096 };
  const compat = { sendSessionAffinityHeaders: true };
  const providers = {
    anthropic: { baseUrl: stage.anthropicUrl, apiKey, compat },
    openai: { baseUrl: stage.openaiUrl, apiKey },
    local: { baseUrl: stage.openaiUrl, apiKey, api: "openai-completions", compat, models: [chatModel] },
    ...vendors,
  };
  writeFileSync(`${folder}/agent/models.json`, JSON.stringify({ providers }));
  const settings = { enableInstallTelemetry: false, cacheWarming: "off", defaultThinkingLevel: "off" };
  writeFileSync(`${folder}/agent/settings.json`, JSON.stringify(settings));
  return folder;
}

function findSessionFile(folder: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) => path.includes(SESSION));
  if (found === undefined) throw new Error("Pi has written no session.");
  return `${folder}/${found}`;
}

/**
 * A notice of the user between a call and its result, as an extension or an interrupted turn leaves it. Pi then adds a
 * result of its own, and sends the real one too, behind the notice.
 */
function interruptCall(file: string): void {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const at = lines.findLastIndex((line) => JSON.parse(line).message?.role === "toolResult");
  const result = JSON.parse(lines[at]!);
  const notice = { role: "user", content: [{ type: "text", text: "Mind the time." }], timestamp: 1 };
  const row = {
    type: "message",
    id: "0badcafe",
    parentId: result.parentId,
    timestamp: result.timestamp,
    message: notice,
  };
  lines.splice(at, 1, JSON.stringify(row), JSON.stringify({ ...result, parentId: row.id }));
  writeFileSync(file, `${lines.join("\n")}\n`);
}
