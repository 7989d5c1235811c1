/** Where the agents keep their settings, whether they load Holdfast there, and whether they point at its gateway. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export interface HostSettings {
  /** `none` where the agent has no way to load one. */
  readonly extension: "none" | "absent" | "active" | "missing";
  /** What the settings name; null where they name no extension of ours. */
  readonly source: string | null;
  /** Some setting holds an address of the gateway. */
  readonly usesGateway: boolean;
}

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly folder: string;
  /** Texts that mean the gateway, for example `127.0.0.1:4141`. */
  readonly gateway: readonly string[];
}

interface HostFiles {
  /** Files that list extensions. */
  readonly lists: readonly string[];
  /** Further files that may hold a base URL. */
  readonly others: readonly string[];
  readonly variables: readonly string[];
}

const CLAUDE_VARIABLES = ["ANTHROPIC_BASE_URL"];
const NO_FILES: HostFiles = { lists: [], others: [], variables: [] };

export function readHostSettings(command: string, surroundings: Surroundings): HostSettings {
  const { lists, others, variables } = filesOf(command, surroundings);
  const sources = lists.flatMap((path) => readSources(path).map((source) => ({ source, folder: dirname(path) })));
  const own = sources.find(({ source, folder }) => isOurs(source, folder, surroundings.home));
  const texts = [...lists, ...others].map(readText);
  const said = [...texts, ...variables.map((name) => surroundings.env[name] ?? "")];
  return {
    extension: own === undefined ? (lists.length === 0 ? "none" : "absent") : stateOf(own, surroundings.home),
    source: own?.source ?? null,
    usesGateway: said.some((text) => surroundings.gateway.some((address) => text.includes(address))),
  };
}

function filesOf(command: string, { env, home, folder }: Surroundings): HostFiles {
  switch (command) {
    case "claude": {
      const claude = env.CLAUDE_CONFIG_DIR ?? join(home, ".claude");
      const others = [join(claude, "settings.json"), join(folder, ".claude", "settings.json")];
      return { lists: [], others, variables: CLAUDE_VARIABLES };
    }
    case "codex":
      return { lists: [], others: [join(env.CODEX_HOME ?? join(home, ".codex"), "config.toml")], variables: [] };
    case "pi": {
      const agent = env.PI_CODING_AGENT_DIR ?? join(home, ".pi", "agent");
      const lists = [join(agent, "settings.json"), join(folder, ".pi", "settings.json")];
      return { lists, others: [join(agent, "models.json")], variables: [] };
    }
    case "omp": {
      const agent = env.PI_CODING_AGENT_DIR ?? join(home, ".omp", "agent");
      const names = ["config.yml", "settings.json", join("plugins", "package.json")];
      const lists = [
        ...names.map((name) => join(agent, name)),
        join(home, ".omp", "plugins", "package.json"),
        join(folder, ".omp", "config.yml"),
        join(folder, ".omp", "settings.json"),
      ];
      return { lists, others: [join(agent, "models.yml")], variables: [] };
    }
    case "opencode": {
      const config = env.OPENCODE_CONFIG_DIR ?? join(env.XDG_CONFIG_HOME ?? join(home, ".config"), "opencode");
      const lists = [config, folder].flatMap((place) =>
        ["opencode.json", "opencode.jsonc"].map((name) => join(place, name)),
      );
      return { lists: env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG, ...lists] : lists, others: [], variables: [] };
    }
    default:
      return NO_FILES;
  }
}

/** What a file of settings loads: paths, `npm:`, `git:` and `file:` sources, package names. */
function readSources(path: string): readonly string[] {
  const text = readText(path);
  const value = parseLenient(text);
  if (value === null) return readYamlList(text, "extensions");
  const { extensions, packages, plugin, dependencies } = value as Readonly<Record<string, unknown>>;
  const listed = [extensions, packages, plugin].flatMap((list) => (Array.isArray(list) ? list : []));
  const installed = Object.keys(typeof dependencies === "object" && dependencies !== null ? dependencies : {});
  return [...listed.map(nameSource), ...installed].filter((source) => source !== "");
}

/** Pi: `"source"` or `{"source", "extensions"?}`, where an empty list loads none. OpenCode: `"source"` or `["source", options]`. */
function nameSource(entry: unknown): string {
  const first: unknown = Array.isArray(entry) ? entry[0] : entry;
  if (typeof first === "string") return first;
  const { source, extensions } = (first ?? {}) as { readonly source?: unknown; readonly extensions?: unknown };
  return typeof source !== "string" || (Array.isArray(extensions) && extensions.length === 0) ? "" : source;
}

/** JSON with comments and trailing commas; null for anything else. */
function parseLenient(text: string): object | null {
  const strict = text
    .replace(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, "$1")
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[\]}])/g, "$1");
  try {
    const value: unknown = JSON.parse(strict);
    return typeof value === "object" ? value : null;
  } catch {
    // Expected: YAML, or a file that somebody is editing.
    return null;
  }
}

/** The texts of one list at the top of a YAML file, in either of its spellings. OMP writes no other. */
function readYamlList(text: string, key: string): readonly string[] {
  const found = new RegExp(`^${key}:[ \\t]*(?:\\[([^\\]]*)\\]|((?:\\r?\\n[ \\t]*(?:-[^\\n]*|#[^\\n]*)?)+))`, "m").exec(
    text,
  );
  const entries = found?.[1]?.split(",") ?? found?.[2]?.split("\n").filter((line) => /^\s*-/.test(line)) ?? [];
  return entries.map((entry) =>
    entry
      .trim()
      .replace(/^-\s*/, "")
      .replace(/\s+#.*$/, "")
      .replace(/^(["'])(.*)\1$/, "$2"),
  );
}

/** `holdfast`, `npm:holdfast@1`, `git:github.com/x/holdfast@v1`, or a path into a copy of this package. */
function isOurs(source: string, folder: string, home: string): boolean {
  if (/^(?:npm:)?holdfast(?:@[\w.^~-]+)?$/.test(source)) return true;
  if (/^(?:git:|https?:|ssh:).*\/holdfast(?:\.git)?(?:[@#].*)?$/.test(source)) return true;
  const path = toPath(source, folder, home);
  return path !== null && (packageNameAt(path) ?? (/\/holdfast\/?$/.test(path) ? "holdfast" : null)) === "holdfast";
}

function stateOf({ source, folder }: { source: string; folder: string }, home: string): "active" | "missing" {
  const path = toPath(source, folder, home);
  return path === null || existsSync(path) ? "active" : "missing";
}

/** Null for a source that is no path. */
function toPath(source: string, folder: string, home: string): string | null {
  if (source.startsWith("file://")) return URL.canParse(source) ? fileURLToPath(source) : null;
  if (source.startsWith("~/")) return join(home, source.slice(2));
  if (isAbsolute(source)) return source;
  return source.startsWith(".") ? resolve(folder, source) : null;
}

/** The package that a file or folder belongs to. */
function packageNameAt(path: string): string | null {
  if (!existsSync(path)) return null;
  const real = realpathSync(path);
  for (let folder = statSync(real).isDirectory() ? real : dirname(real); ; folder = dirname(folder)) {
    const text = readText(join(folder, "package.json"));
    if (text !== "") return (parseLenient(text) as { readonly name?: string } | null)?.name ?? null;
    if (folder === dirname(folder)) return null;
  }
}

/** Empty where it cannot be read: most agents have only some of their files. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
