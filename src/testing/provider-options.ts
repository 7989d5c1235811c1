import { type Clock, systemClock } from "../lib/clock.ts";
import type { ExtraRule } from "./rejection.ts";

/** Who answers. One simulated provider is one back end; the path only chooses the API. */
export type SimulatedBackend =
  | "anthropic"
  | "bedrock"
  | "google"
  | "vertex"
  | "openai"
  | "azure"
  | "codex"
  | "mistral"
  | "deepseek"
  | "moonshot"
  | "groq"
  | "cerebras"
  | "qwen"
  | "ollama"
  | "vllm"
  | "llamacpp"
  | "lmstudio"
  | "zai";

export interface SimulatedProviderOptions {
  /** Unless given: `anthropic` for `/messages`, `openai` for the two OpenAI APIs. */
  readonly backend?: SimulatedBackend;
  /** Ids that `GET /models` lists. Requests may name any model. */
  readonly models?: readonly string[];
  /**
   * Whether the account enforces bound thinking on the models that have it. True (an account made after 2026-08-31)
   * unless given; false is an older account, which enforces only what a request opts in to.
   */
  readonly boundThinking?: boolean;
  /** Reject thinking signatures and sealed reasoning that this provider never issued. They pass unless given. */
  readonly strictSignatures?: boolean;
  /** Whether a server-held history that this provider does not know is an error. `reject` unless given. */
  readonly unknownAnchors?: "reject" | "accept";
  /** A zero-data-retention organisation: nothing is held between requests. */
  readonly zeroDataRetention?: boolean;
  /** Rejections that no published rule knows. */
  readonly extraRules?: readonly ExtraRule[];
  /** Rule ids that this provider does not enforce: for tests of refuted rules. */
  readonly accepts?: readonly string[];
  /** Time before the first byte of every answer. */
  readonly latencyMs?: number;
  readonly clock?: Clock;
  /** Part of every id. Random unless given, so that two providers never issue the same id. */
  readonly idSeed?: string;
}

/** The options with every default filled in. */
export type ProviderSettings = Required<Omit<SimulatedProviderOptions, "backend" | "accepts" | "idSeed">> & {
  readonly backend: SimulatedBackend | null;
  readonly accepts: ReadonlySet<string>;
};

export const modelsDefault = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-sonnet-4-5", "gpt-5.5", "gpt-4.1"];

export function fillOptions(options: SimulatedProviderOptions): ProviderSettings {
  return {
    backend: options.backend ?? null,
    models: options.models ?? modelsDefault,
    boundThinking: options.boundThinking ?? true,
    strictSignatures: options.strictSignatures ?? false,
    unknownAnchors: options.unknownAnchors ?? "reject",
    zeroDataRetention: options.zeroDataRetention ?? false,
    extraRules: options.extraRules ?? [],
    accepts: new Set(options.accepts ?? []),
    latencyMs: options.latencyMs ?? 0,
    clock: options.clock ?? systemClock,
  };
}
