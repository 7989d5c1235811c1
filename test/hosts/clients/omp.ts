/** OMP in print mode, on Bun: every turn is a process of its own that resumes the session from its file. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Api } from "../../../src/wire/api.ts";
import { type AgentCommand, runAgent, startAgent } from "../stage/agent-process.ts";
import type { SwitchingAgent } from "../stage/agent-suite.ts";
import { interruptInStream } from "../stage/interrupt-in-stream.ts";
import { noonZone } from "../stage/noon-zone.ts";
import type { Stage } from "../stage/stage.ts";
import { temporaryFolder } from "../stage/temporary-folder.ts";
import { agentExtension } from "./payload-edit.ts";
import { pruneToolResults } from "./prune-tool-results.ts";

const packages = fileURLToPath(new URL("../node_modules", import.meta.url));

export const ompModels = {
  "anthropic-messages": "messages/claude-opus-5-5",
  "openai-completions": "chat/gpt-4.1",
  "openai-responses": "responses/gpt-5.5",
} as const;

export interface OmpOptions {
  readonly model: string;
  /** Beside the clean environment of every test. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Without one OMP takes an Anthropic provider for a login, and writes another request. */
  readonly auth?: "apiKey" | null;
  /** Whether the model is one that reasons. */
  readonly reasoning?: boolean;
  /** One more server of the stage, with its model, for the name `vendor`. */
  readonly vendor?: { readonly api: Api; readonly baseUrl: string; readonly id: string };
}

export interface OmpAgent extends SwitchingAgent {
  /** The next turn as OMP would be started for it, with more words in front of the text. */
  command(words: readonly string[]): AgentCommand;
}

export async function openOmp(stage: Stage, options: OmpOptions): Promise<OmpAgent> {
  const folder = makeHome(stage, options);
  const workFolder = `${folder}/work`;
  const extensions: string[] = [];
  let { model } = options;
  let begun = false;
  const command = (words: readonly string[]): AgentCommand => {
    const own = ["--tools", "bash", "--session-dir", `${folder}/sessions`, "--model", model];
    if (begun) own.push("--continue");
    begun = true;
    return {
      program: `${packages}/.bin/bun`,
      words: [`${packages}/@oh-my-pi/pi-coding-agent/dist/cli.js`, ...own, ...extensions, ...words],
      folder: workFolder,
      environment: {
        PATH: "/usr/bin:/bin",
        HOME: folder,
        TERM: "dumb",
        LANG: "C.UTF-8",
        TZ: noonZone(),
        ...options.environment,
      },
    };
  };
  const turns = (texts: readonly string[]) => command(["--no-title", "-p", ...texts]);
  const addExtension = (name: string, text: string) => {
    writeFileSync(`${folder}/${name}.js`, text);
    extensions.push("-e", `${folder}/${name}.js`);
  };
  return {
    folder,
    workFolder,
    keepsOpenCalls: false,
    command,
    start: (text) => startAgent(turns([text])),
    say: (text) => runAgent(turns([text])),
    converse: async (texts) => void (await runAgent(turns(texts))),
    sayAndLeave: (text) => interruptInStream(stage, () => startAgent(turns([text])), "SIGINT"),
    /** OMP mends whatever its session file says; what is behind its encoder is an extension's own doing. */
    breakHistory: async () => addExtension("prune", agentExtension(pruneToolResults)),
    editPayloads: (edit) => addExtension("edit", agentExtension(edit)),
    addExtension,
    use(next) {
      model = next;
    },
  };
}

function makeHome(stage: Stage, { auth = "apiKey", reasoning = false, vendor }: OmpOptions): string {
  const folder = temporaryFolder();
  mkdirSync(`${folder}/.omp/agent`, { recursive: true });
  mkdirSync(`${folder}/work`);
  const provider = (api: string, baseUrl: string, id: string) => {
    const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
    const limits = { contextWindow: 200_000, maxTokens: 8192 };
    const models = [{ id, name: id, reasoning, input: ["text"], cost, ...limits }];
    return { baseUrl, api, apiKey: "key-of-the-user", ...(auth && { auth }), models };
  };
  const providers = {
    messages: provider("anthropic-messages", stage.anthropicUrl, "claude-opus-5-5"),
    chat: provider("openai-completions", stage.openaiUrl, "gpt-4.1"),
    responses: provider("openai-responses", stage.openaiUrl, "gpt-5.5"),
    ...(vendor && { vendor: provider(vendor.api, vendor.baseUrl, vendor.id) }),
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
