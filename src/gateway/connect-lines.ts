/**
 * How each agent is pointed at the gateway (GW-1), and what it leaves out when its base URL is not the provider's own.
 * The settings were read in the agents' packages; `docs/guides/connect.md` says for which versions.
 */

export interface ConnectLine {
  readonly agent: string;
  /** Where the lines belong: a shell, a file, or code. */
  readonly where: string;
  readonly paste: string;
  /** What the agent does differently behind this base URL; null where nothing is known. */
  readonly loses: string | null;
  /** The setting that brings it back, ready to paste; null where there is none or nothing is lost. */
  readonly bringBack: string | null;
}

export interface ApiBaseUrl {
  readonly api: string;
  readonly baseUrl: string;
}

/** @param gateway base URL of the gateway, without a slash at the end */
export function apiBaseUrls(gateway: string): readonly ApiBaseUrl[] {
  return [
    { api: "Anthropic Messages", baseUrl: `${gateway}/anthropic` },
    { api: "OpenAI Responses and Chat Completions", baseUrl: `${gateway}/openai/v1` },
    { api: "Google Gemini", baseUrl: `${gateway}/google` },
    { api: "Mistral", baseUrl: `${gateway}/mistral` },
    { api: "ChatGPT login (Codex)", baseUrl: `${gateway}/chatgpt/codex` },
  ];
}

/** @param gateway base URL of the gateway, without a slash at the end */
export function connectLines(gateway: string): readonly ConnectLine[] {
  return [
    {
      agent: "Claude Code",
      where: "shell, or `env` in ~/.claude/settings.json",
      paste: `export ANTHROPIC_BASE_URL=${gateway}/anthropic`,
      loses: "message threads, MCP tool search and the 1M context window of models that have it by default",
      bringBack: "export _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1 ENABLE_TOOL_SEARCH=true",
    },
    {
      agent: "Codex (API key)",
      where: "~/.codex/config.toml",
      paste: codexProvider(`${gateway}/openai/v1`, 'env_key = "OPENAI_API_KEY"'),
      loses: "the WebSocket transport: every turn sends its whole input over HTTP, where the gateway can read it",
      bringBack: "supports_websockets = true",
    },
    {
      agent: "Codex (ChatGPT login)",
      where: "~/.codex/config.toml",
      paste: codexProvider(`${gateway}/chatgpt/codex`, "requires_openai_auth = true"),
      loses: "the WebSocket transport: every turn sends its whole input over HTTP, where the gateway can read it",
      bringBack: "supports_websockets = true",
    },
    {
      agent: "Pi",
      where: "~/.pi/agent/models.json",
      paste: providersJson({
        anthropic: { baseUrl: `${gateway}/anthropic`, compat: { sendSessionAffinityHeaders: true } },
        openai: { baseUrl: `${gateway}/openai/v1` },
      }),
      loses: "message threads; and without the header of the line above, a session key on Anthropic requests",
      bringBack: '"supportsMessageThreads": true beside "sendSessionAffinityHeaders"',
    },
    {
      agent: "OMP",
      where: "~/.omp/agent/models.yml",
      paste: [
        "providers:",
        "  anthropic:",
        `    baseUrl: ${gateway}/anthropic`,
        "  openai:",
        `    baseUrl: ${gateway}/openai/v1`,
      ].join("\n"),
      loses:
        "chained Responses requests and the rules for Anthropic's own host; on loopback it freezes its prefix instead",
      bringBack: "export PI_OPENAI_STATEFUL=1",
    },
    {
      agent: "OpenCode",
      where: "opencode.json",
      paste: JSON.stringify(
        {
          provider: {
            anthropic: { options: { baseURL: `${gateway}/anthropic/v1` } },
            openai: { options: { baseURL: `${gateway}/openai/v1` } },
          },
        },
        null,
        2,
      ),
      loses: null,
      bringBack: null,
    },
    {
      agent: "Anthropic SDK",
      where: "shell, or `baseURL` of the client",
      paste: `export ANTHROPIC_BASE_URL=${gateway}/anthropic`,
      loses: "a session key: the SDK sends none",
      bringBack: 'defaultHeaders: { "x-session-affinity": "one value per conversation" }',
    },
    {
      agent: "OpenAI SDK",
      where: "shell, or `baseURL` of the client",
      paste: `export OPENAI_BASE_URL=${gateway}/openai/v1`,
      loses: "a session key: the SDK sends none",
      bringBack: 'prompt_cache_key: "one value per conversation"',
    },
    {
      agent: "AI SDK",
      where: "code",
      paste: [
        `createAnthropic({ baseURL: "${gateway}/anthropic/v1" })`,
        `createOpenAI({ baseURL: "${gateway}/openai/v1" })`,
      ].join("\n"),
      loses: "on OpenAI Responses, replies are sent back as references whose content no gateway can see",
      bringBack: "providerOptions: { openai: { store: false } }",
    },
  ];
}

function codexProvider(baseUrl: string, credentials: string): string {
  return [
    'model_provider = "holdfast"',
    "",
    "[model_providers.holdfast]",
    'name = "Holdfast"',
    `base_url = "${baseUrl}"`,
    'wire_api = "responses"',
    credentials,
  ].join("\n");
}

function providersJson(providers: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ providers }, null, 2);
}
