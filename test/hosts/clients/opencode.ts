/** OpenCode in print mode: every turn is a process of its own that resumes the session from its database. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { type AgentCommand, runAgent, startAgent } from "../stage/agent-process.ts";
import type { SwitchingAgent } from "../stage/agent-suite.ts";
import { interruptInStream } from "../stage/interrupt-in-stream.ts";
import { noonZone } from "../stage/noon-zone.ts";
import type { Stage } from "../stage/stage.ts";
import { temporaryFolder } from "../stage/temporary-folder.ts";
import { type OpencodeServer, startOpencodeServer } from "./opencode-server.ts";
import { opencodePlugin } from "./payload-edit.ts";
import { pruneToolResults } from "./prune-tool-results.ts";

/** The launcher of the package starts this binary as its child; a signal has to reach the binary itself. */
const binary = `../node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`;
const program = fileURLToPath(new URL(binary, import.meta.url));

/** One of the AI SDK's packages behind each API; all three are part of the binary. */
export const opencodeModels = {
  "anthropic-messages": "messages/claude-opus-5-5",
  "openai-completions": "chat/gpt-4.1",
  "openai-responses": "responses/gpt-5.5",
} as const;

export interface OpencodeAgent extends SwitchingAgent {
  /** Many turns in one process. */
  startServer(): Promise<OpencodeServer>;
  /** The next turn as OpenCode would be started for it. */
  command(text: string): AgentCommand;
}

export async function openOpencode(stage: Stage, firstModel: string): Promise<OpencodeAgent> {
  const folder = makeHome(stage);
  const workFolder = `${folder}/work`;
  let model = firstModel;
  let begun = false;
  const command = (words: readonly string[]): AgentCommand => ({
    program,
    words,
    folder: workFolder,
    environment: environmentOf(folder),
  });
  const turn = (text: string): AgentCommand => {
    const words = ["run", "--title", "The test", "-m", model, ...(begun ? ["--continue"] : []), text];
    begun = true;
    return command(words);
  };
  const addPlugin = (name: string, text: string) => {
    writeFileSync(`${folder}/${name}.js`, text);
    listPlugins(folder, (plugins) => [...plugins, `file://${folder}/${name}.js`]);
  };
  return {
    folder,
    workFolder,
    keepsOpenCalls: true,
    command: turn,
    start: (text) => startAgent(turn(text)),
    say: (text) => runAgent(turn(text)),
    async converse(texts) {
      const server = await startOpencodeServer(command);
      const session = await server.openSession({ title: "The test" });
      for (const text of texts) await session.say(model, text);
      await server.close();
    },
    startServer: () => startOpencodeServer(command),
    sayAndLeave: (text) => interruptInStream(stage, () => startAgent(turn(text)), "SIGINT"),
    async breakHistory() {
      if (model === opencodeModels["anthropic-messages"]) giveCallsOneId(`${folder}/data/opencode/opencode.db`);
      // OpenCode sends no history that OpenAI is known to reject; what is behind its encoder is a plugin's own doing.
      else addPlugin("prune", opencodePlugin(pruneToolResults));
    },
    editPayloads: (edit) => addPlugin("edit", opencodePlugin(edit)),
    addExtension: addPlugin,
    use(next) {
      model = next;
    },
  };
}

/** The list of plugins in the configuration; those that come later stand in front of the others. */
export function listPlugins(folder: string, change: (plugins: readonly string[]) => readonly string[]): void {
  const file = `${folder}/config/opencode/opencode.json`;
  const config = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...config, plugin: change(config.plugin ?? []) }));
}

function makeHome(stage: Stage): string {
  const folder = temporaryFolder();
  for (const name of ["work", "config/opencode", "data", "cache", "state"]) {
    mkdirSync(`${folder}/${name}`, { recursive: true });
  }
  const options = (baseURL: string) => ({ baseURL, apiKey: "key-of-the-user" });
  const models = (id: string) => ({
    [id]: { name: id, tool_call: true, limit: { context: 200_000, output: 8192 } },
  });
  const provider = {
    messages: {
      npm: "@ai-sdk/anthropic",
      options: options(`${stage.anthropicUrl}/v1`),
      models: { ...models("claude-opus-5-5"), ...models("claude-haiku-4-5") },
    },
    chat: { npm: "@ai-sdk/openai-compatible", options: options(stage.openaiUrl), models: models("gpt-4.1") },
    responses: { npm: "@ai-sdk/openai", options: options(stage.openaiUrl), models: models("gpt-5.5") },
  };
  const config = {
    // Titles are asked of it.
    small_model: "messages/claude-haiku-4-5",
    autoupdate: false,
    share: "disabled",
    enabled_providers: Object.keys(provider),
    permission: { bash: "allow" },
    provider,
  };
  writeFileSync(`${folder}/config/opencode/opencode.json`, JSON.stringify(config));
  return folder;
}

function environmentOf(folder: string): Record<string, string> {
  return {
    PATH: "/usr/bin:/bin",
    HOME: folder,
    TERM: "dumb",
    LANG: "C.UTF-8",
    TZ: noonZone(),
    XDG_CONFIG_HOME: `${folder}/config`,
    XDG_DATA_HOME: `${folder}/data`,
    XDG_CACHE_HOME: `${folder}/cache`,
    XDG_STATE_HOME: `${folder}/state`,
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_DISABLE_SHARE: "1",
    // With a plugin OpenCode installs a package at each start, and waits 70 seconds for a registry that does not answer.
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_fetch_retries: "0",
  };
}

/** Call and result are one part in OpenCode, so no orphan can be written down; equal ids can, as some servers give them. */
function giveCallsOneId(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(
    "UPDATE part SET data = json_set(data, '$.callID', 'call_of_both') WHERE json_extract(data, '$.type') = 'tool'",
  );
  database.close();
}
