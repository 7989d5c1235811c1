/**
 * How each agent is pointed at the gateway, what it does less behind a base URL that is not its provider's own, and the
 * setting that brings that back.
 */

export interface Connection {
  readonly agent: string;
  /** Where the line goes: a shell, or a file. */
  readonly place: string;
  readonly line: string;
  /** Null where nothing is lost. */
  readonly loses: string | null;
  readonly restore: string | null;
}

/** Below the gateway's URL: where the SDKs of that provider expect their base URL to end. */
export const BASE_PATHS: Readonly<Record<string, string>> = {
  anthropic: "/anthropic",
  openai: "/openai/v1",
  google: "/google",
  mistral: "/mistral",
  chatgpt: "/chatgpt",
};

export function listConnections(baseUrl: string): readonly Connection[] {
  const anthropic = `${baseUrl}/anthropic`;
  const openai = `${baseUrl}/openai/v1`;
  return [
    {
      agent: "Claude Code",
      place: "shell",
      line: `ANTHROPIC_BASE_URL=${anthropic} claude`,
      loses: "message threads and features that it keeps for its provider's own URL",
      restore: "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1",
    },
    {
      agent: "Codex",
      place: '~/.codex/config.toml, with model_provider = "holdfast"',
      line: `model_providers.holdfast = { name = "Holdfast", base_url = "${openai}", env_key = "OPENAI_API_KEY", wire_api = "responses" }`,
      loses: "the WebSocket transport",
      restore: null,
    },
    {
      agent: "Pi",
      place: "~/.pi/agent/models.json",
      line: `{"providers":{"anthropic":{"baseUrl":"${anthropic}","compat":{"sendSessionAffinityHeaders":true}}}}`,
      loses: "message threads, and without the compat member the session id",
      restore: '"supportsMessageThreads":true in the same compat',
    },
    {
      agent: "OMP",
      place: "~/.omp/agent/models.yml",
      line: `providers: {anthropic: {baseUrl: "${anthropic}"}}`,
      loses: "stored responses on OpenAI's own API",
      restore: "PI_OPENAI_STATEFUL=1",
    },
    {
      agent: "OpenCode",
      place: "opencode.json",
      line: `{"provider":{"anthropic":{"options":{"baseURL":"${anthropic}/v1"}}}}`,
      loses: null,
      restore: null,
    },
    {
      agent: "Anthropic SDK",
      place: "shell",
      line: `export ANTHROPIC_BASE_URL=${anthropic}`,
      loses: "nothing, but it names no session",
      restore: 'defaultHeaders: { "x-session-affinity": ID }',
    },
    {
      agent: "OpenAI SDK",
      place: "shell",
      line: `export OPENAI_BASE_URL=${openai}`,
      loses: "nothing, but it names no session",
      restore: 'defaultHeaders: { "x-session-affinity": ID }',
    },
    {
      agent: "AI SDK",
      place: "code",
      line: `createAnthropic({ baseURL: "${anthropic}/v1" })   createOpenAI({ baseURL: "${openai}" })`,
      loses: "on Responses its history stands at the provider, where it can't be checked",
      restore: "providerOptions: { openai: { store: false } }",
    },
  ];
}
