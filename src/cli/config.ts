/** The settings of this run: a flag wins over the environment, that over the file, that over the default (CL-4). */
import { existsSync, readFileSync } from "node:fs";
import { HoldfastError } from "../lib/error.ts";
import { toPointer } from "../lib/json-pointer.ts";
import { locateDefaultStore } from "../store/data-folder.ts";
import type { Flag, Invocation } from "./command.ts";
import type { ConfigFile } from "./config-schema.ts";
import { findNearestName } from "./nearest-name.ts";

export interface Config extends Omit<ConfigFile, "$schema"> {
  readonly port: number;
  readonly host: string;
  readonly store: string;
  readonly mode: "guard" | "observe";
  readonly upstreams: NonNullable<ConfigFile["upstreams"]>;
}

const CONFIG_FILE = "holdfast.config.json";

/** The flags of every command that reads the configuration; each command lists those that it honours. */
export const CONFIG_FLAGS = {
  config: { name: "config", value: "FILE", about: `the configuration; ${CONFIG_FILE} without it` },
  port: { name: "port", value: "N", about: "where the gateway listens, 4141 without it" },
  host: { name: "host", value: "H", about: "address to listen on; any other than loopback needs --token" },
  token: {
    name: "token",
    value: "T",
    about: "what a client has to show; better in HOLDFAST_TOKEN than on a command line",
  },
  store: { name: "store", value: "URL", about: "sqlite:PATH, postgres://… or memory:" },
  mode: { name: "mode", value: "MODE", about: "guard, or observe to change nothing" },
  "capture-bodies": {
    name: "capture-bodies",
    value: "DIR",
    about: "keep redacted bodies of requests that are rejected or unknown, as a corpus for replay",
  },
  upstream: {
    name: "upstream",
    value: "NAME=URL",
    repeats: true,
    about: "one more provider, or another URL for a known one",
  },
} as const satisfies Readonly<Record<string, Flag>>;

export type ConfigFlag = keyof typeof CONFIG_FLAGS;

/**
 * @param flags those of {@link CONFIG_FLAGS} that the command has
 * @throws HoldfastError `config_invalid`: names the place (JSON pointer, variable or flag) and the expected type
 */
export async function readConfig(
  invocation: Invocation,
  flags: readonly ConfigFlag[],
  env: NodeJS.ProcessEnv,
): Promise<Config> {
  const has = (flag: ConfigFlag) => flags.includes(flag);
  const typed = (flag: ConfigFlag) => (has(flag) ? invocation.value(flag) : undefined);
  const file = await readFile(typed("config") ?? env.HOLDFAST_CONFIG);
  const environment = await checkWords(
    {
      port: env.HOLDFAST_PORT,
      host: env.HOLDFAST_HOST,
      token: env.HOLDFAST_TOKEN,
      store: env.HOLDFAST_STORE,
      mode: env.HOLDFAST_MODE,
      capture_bodies: env.HOLDFAST_CAPTURE_BODIES,
    },
    env.HOLDFAST_UPSTREAMS?.split(/\s+/).filter((word) => word !== "") ?? [],
    (setting) => `HOLDFAST_${setting.toUpperCase()}`,
  );
  const words = await checkWords(
    {
      port: typed("port"),
      host: typed("host"),
      token: typed("token"),
      store: typed("store"),
      mode: typed("mode"),
      capture_bodies: typed("capture-bodies"),
    },
    has("upstream") ? invocation.values("upstream") : [],
    (setting) => `--${setting === "upstreams" ? "upstream" : setting.replaceAll("_", "-")}`,
  );
  const { $schema: _, ...settings } = { ...file, ...environment, ...words };
  return {
    ...settings,
    port: settings.port ?? 4141,
    host: settings.host ?? "127.0.0.1",
    store: settings.store ?? locateDefaultStore(env),
    mode: settings.mode ?? "guard",
    upstreams: settings.upstreams ?? [],
  };
}

/** What checks a configuration takes longer to load than most commands; without any setting it is not needed. */
async function loadSchema(): Promise<typeof import("./config-schema.ts")> {
  return await import("./config-schema.ts");
}

async function readFile(named: string | undefined): Promise<ConfigFile> {
  const path = named ?? CONFIG_FILE;
  if (named === undefined && !existsSync(path)) return {};
  const value = parseFile(path);
  const { configSchema, findConfigIssues } = await loadSchema();
  const [issue] = findConfigIssues(value);
  if (issue === undefined) return value as ConfigFile;
  const nearest = findNearestName(String(issue.path.at(-1) ?? ""), Object.keys(configSchema.shape));
  const hint = issue.message.startsWith("there is no") && nearest !== null ? `, did you mean ${nearest}?` : "";
  throw invalid(`${path} ${toPointer(issue.path) || "/"}: ${issue.message}${hint}`);
}

function parseFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw invalid(`${path} can't be read: ${(error as Error).message}`);
  }
}

/** The words of an environment or a command line, in the types of the file. */
async function checkWords(
  words: Readonly<Record<string, string | undefined>>,
  upstreams: readonly string[],
  nameSource: (setting: string) => string,
): Promise<ConfigFile> {
  const given = Object.entries(words).filter(([, word]) => word !== undefined && word !== "");
  if (given.length === 0 && upstreams.length === 0) return {};
  const settings: Record<string, unknown> = Object.fromEntries(given);
  if (typeof settings.port === "string" && /^\d+$/.test(settings.port)) settings.port = Number(settings.port);
  if (upstreams.length > 0) settings.upstreams = upstreams.map((word) => parseUpstream(word, nameSource("upstreams")));
  const [issue] = (await loadSchema()).findConfigIssues(settings);
  if (issue === undefined) return settings as ConfigFile;
  const setting = String(issue.path[0]);
  // A token that is refused is still a secret.
  const shown = setting === "token" ? "" : ` "${words[setting] ?? upstreams[Number(issue.path[1])]}"`;
  throw invalid(`${nameSource(setting)}${shown}: ${issue.message}`);
}

function parseUpstream(word: string, source: string): { name: string; url: string } {
  const equals = word.indexOf("=");
  if (equals === -1) throw invalid(`${source} "${word}": expected NAME=URL`);
  return { name: word.slice(0, equals), url: word.slice(equals + 1) };
}

function invalid(message: string): HoldfastError {
  return new HoldfastError("config_invalid", message);
}
