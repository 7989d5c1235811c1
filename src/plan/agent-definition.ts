/** What an agent is made of today, as its owner declares it. A plan freezes a part of it. */
import type { Api } from "../wire/api.ts";
import type { CacheBreakpoint } from "./context-plan.ts";
import type { ToolCandidate, ToolCaps } from "./select-tools.ts";

export interface AgentDefinition {
  readonly api: Api;
  /** `provider:model`. */
  readonly model: string;
  /** Text of the platform that stands before everything else. */
  readonly framing: string;
  readonly instructions: string;
  readonly persona: Persona | null;
  readonly skills: readonly Skill[];
  /** The tools that this version of the agent enables. Others are never offered, whatever a run may do. */
  readonly tools: readonly ToolCandidate[];
  readonly caps?: Partial<ToolCaps>;
  readonly policyVersion: string;
  readonly builderVersion: string;
  /** The api and the model take tools that are announced behind the prefix (Anthropic's `tool_addition`). */
  readonly appendsTools?: boolean;
  readonly cacheBreakpoints?: readonly CacheBreakpoint[];
}

export interface Persona {
  readonly text: string;
  readonly version: string;
}

export interface Skill {
  readonly name: string;
  readonly description: string;
}
