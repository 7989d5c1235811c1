/** OMP in print mode, on Bun: every turn is a process of its own that resumes the session from its file. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AgentCommand, runAgent, startAgent } from "../stage/agent-process.ts";
import type { Agent } from "../stage/agent-suite.ts";
import { interruptInStream } from "../stage/interrupt-in-stream.ts";
import { noonZone } from "../stage/noon-zone.ts";
import type { Stage } from "../stage/stage.ts";
import { temporaryFolder } from "../stage/temporary-folder.ts";
import { pruneToolResults } from "./prune-tool-results.ts";

const packages = fileURLToPath(new URL("../node_modules", import.meta.url));

export const ompModels = {
  "anthropic-messages": "messages/claude-opus-5-5",
  "openai-completions": "chat/gpt-4.1",
  "openai-responses": "responses/gpt-5.5",
} as const;

export async function openOmp(stage: Stage, model: string): Promise<Agent> {
  const folder = makeHome(stage);
  const workFolder = `${folder}/work`;
  const extension = `${folder}/prune.js`;
  const state = { begun: false, pruned: false };
  const turn = (text: string): AgentCommand => {
    const words = ["--no-title", "--tools", "bash", "--session-dir", `${folder}/sessions`, "--model", model];
    if (state.begun) words.push("--continue");
    if (state.pruned) words.push("-e", extension);
    state.begun = true;
    return {
      program: `${packages}/.bin/bun`,
      words: [`${packages}/@oh-my-pi/pi-coding-agent/dist/cli.js`, ...words, "-p", text],
      folder: workFolder,
      environment: { PATH: "/usr/bin:/bin", HOME: folder, TERM: "dumb", LANG: "C.UTF-8", TZ: noonZone() },
    };
  };
  return {
    workFolder,
    keepsOpenCalls: false,
    start: (text) => startAgent(turn(text)),
    say: (text) => runAgent(turn(text)),
    sayAndLeave: (text) => interruptInStream(stage, () => startAgent(turn(text)), "SIGINT"),
    /** OMP mends whatever its session file says; what is behind its encoder is an extension's own doing. */
    async breakHistory() {
      const hook = `pi.on("before_provider_request", ({ payload }) => pruneToolResults(payload));`;
      writeFileSync(extension, `export default (pi) => {\n${pruneToolResults}\n${hook}\n};\n`);
      state.pruned = true;
    },
  };
}

function makeHome(stage: Stage): string {
  const folder = temporaryFolder();
  mkdirSync(`${folder}/.omp/agent`, { recursive: true });
  mkdirSync(`${folder}/work`);
  const provider = (api: string, baseUrl: string, id: string) => {
    const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
    const limits = { contextWindow: 200_000, maxTokens: 8192 };
    // Without `auth` OMP takes an Anthropic provider for a login, and writes another request.
    const models = [{ id, name: id, reasoning: false, input: ["text"], cost, ...limits }];
    return { baseUrl, api, apiKey: "key-of-the-user", auth: "apiKey", models };
  };
  const providers = {
    messages: provider("anthropic-messages", stage.anthropicUrl, "claude-opus-5-5"),
    chat: provider("openai-completions", stage.openaiUrl, "gpt-4.1"),
    responses: provider("openai-responses", stage.openaiUrl, "gpt-5.5"),
  };
  // JSON is YAML.
  writeFileSync(`${folder}/.omp/agent/models.yml`, JSON.stringify({ providers }));
  writeFileSync(`${folder}/.omp/agent/config.yml`, JSON.stringify({ startup, disabledProviders }));
  return folder;
}

const startup = { checkUpdate: false, quiet: true, setupWizard: false };

/** Those that OMP asks for their models at start, whatever is configured. */
const disabledProviders = [
  "alibaba-coding-plan",
  "charm-hyper",
  "command-code",
  "commandcode",
  "hyper",
  "kilo",
  "llama.cpp",
  "lm-studio",
  "ollama",
  "qwen-coding-plan",
  "venice",
  "zenmux",
];
