/**
 * Which words of counters and records may be posted in public: those of closed lists. Every other value (a name that a
 * person gave to a server, a model or a program) becomes a hash under a key that is made for this one report and thrown
 * away (DG-75), so that equal values stay equal in it, and nobody can try names against it.
 */
import { randomBytes } from "node:crypto";
import { RULES } from "../../dispatch/rules/rules.ts";
import { SOFT_CLASSES } from "../../dispatch/soft-class.ts";
import { keyedHash } from "../../lib/keyed-hash.ts";
import { ROTATION_REASONS } from "../../plan/plan-event.ts";
import { APIS, BACKENDS } from "../../wire/api.ts";

/** Servers and programs that everybody has. */
const NAMES = [
  ...[
    "anthropic",
    "openai",
    "azure",
    "chatgpt",
    "google",
    "vertex",
    "bedrock",
    "mistral",
    "deepseek",
    "moonshot",
    "groq",
  ],
  ...["cerebras", "pi", "omp", "opencode", "ai-sdk", "fetch", "claude", "codex", "other", "unknown", "none"],
];

const LISTED = new Set<string>([
  ...NAMES,
  ...APIS,
  ...BACKENDS,
  ...SOFT_CLASSES,
  ...ROTATION_REASONS,
  ...RULES.map(({ id }) => id),
]);

/** Labels whose values are words of our own source. */
const OWN_LABELS = new Set([
  ...["verdict", "outcome", "join", "reason", "verb", "why", "where", "type", "status", "code", "result", "overflow"],
]);
const OWN_WORD = /^[A-Za-z0-9][\w.-]{0,60}$/;

/** What names of public models are made of; a deployment or a fine-tune has a word more. */
const MODEL_WORDS = new Set([
  ...[
    "claude",
    "opus",
    "sonnet",
    "haiku",
    "fable",
    "mythos",
    "instant",
    "gpt",
    "chatgpt",
    "codex",
    "oss",
    "mini",
    "nano",
  ],
  ...[
    "pro",
    "max",
    "turbo",
    "preview",
    "latest",
    "gemini",
    "gemma",
    "flash",
    "lite",
    "ultra",
    "exp",
    "mistral",
    "large",
  ],
  ...["medium", "small", "ministral", "devstral", "codestral", "magistral", "pixtral", "deepseek", "chat", "reasoner"],
  ...["coder", "kimi", "thinking", "instruct", "llama", "qwen", "grok", "glm", "fast", "audio", "realtime", "search"],
  ...["anthropic", "openai", "google", "models", "us", "eu", "apac", "global"],
]);
const MODEL_NUMBER = /^(?:v?\d{1,8}|[okr]\d|\d{1,4}[bkmo])$/;

/** The protocol's own lists: what a place in a body may name. */
const PLACE = /^(?:\/(?:\d+|messages|input|contents|content|parts|system|tools|tool_calls))*$/;

export interface PublicWords {
  labelName(name: string): string;
  label(name: string, value: string): string;
  name(kind: string, value: string | null): string;
  model(value: string | null): string;
  place(pointer: string): string;
}

export function createPublicWords(key: Uint8Array = randomBytes(32)): PublicWords {
  const hash = keyedHash(key);
  const hide = (kind: string, value: string) => `${kind}-${hash(kind, value).slice(0, 8)}`;
  const words: PublicWords = {
    labelName: (name) => (/^[a-z_]{1,30}$/.test(name) ? name : hide("label", name)),
    name: (kind, value) => (value === null || value === "" ? "none" : LISTED.has(value) ? value : hide(kind, value)),
    model(value) {
      if (value === null || value === "") return "none";
      const isPublic = value
        .toLowerCase()
        .split(/[-._:/@ ]/)
        .every((word) => MODEL_WORDS.has(word) || MODEL_NUMBER.test(word));
      return isPublic ? value : hide("model", value);
    },
    place: (pointer) => (PLACE.test(pointer) ? pointer || "/" : "?"),
    label(name, value) {
      if (name === "shape") return showShape(value, words);
      if (name === "model") return words.model(value);
      if (OWN_LABELS.has(name) && OWN_WORD.test(value)) return value;
      return words.name(words.labelName(name), value);
    },
  };
  return words;
}

/** `HOST|API|MODEL|CLASSES|ROWS`, as `session/shape-memory.ts` makes it; only a model may hold a bar. */
function showShape(shape: string, words: PublicWords): string {
  const parts = shape.split("|");
  const [host = "", api = ""] = parts;
  const [classes = "", rows = ""] = parts.slice(-2);
  return [
    words.name("host", host),
    words.name("api", api),
    words.model(parts.slice(2, -2).join("|")),
    classes
      .split("+")
      .map((one) => words.name("class", one))
      .join(" + "),
    /^-?\d+$/.test(rows) ? rows : "?",
  ].join("|");
}
