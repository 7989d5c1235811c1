/**
 * Bound thinking: a block that this provider issued is checked against the answer it came in and against everything in
 * front of it. Blocks that it never issued are opaque and pass.
 */
import { createHash } from "node:crypto";
import { asObject, asText, type JsonObject } from "../json-value.ts";
import type { IssuedThinking } from "../provider-memory.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { isThinking, type PlacedBlock } from "./conversation.ts";
import { modifiedFindings } from "./modified.ts";
import { messageSegments, systemSegments, toolSegments } from "./prompt-segments.ts";
import { bindingBeta } from "./settings.ts";

export interface InputTransformation {
  readonly type: "thinking_dropped" | "thinking_mismatch_allowed";
  readonly path: string;
  readonly reason: "prefix_binding_mismatch" | "model_binding_mismatch";
}

export interface BindingResult {
  readonly findings: readonly Rejection[];
  /** What the provider did instead of rejecting, one entry per block. */
  readonly transformations: readonly InputTransformation[];
  /** The blocks that the model does not see. */
  readonly dropped: ReadonlySet<PlacedBlock>;
  /** The state behind the last block: what the next answer's thinking is bound to. */
  readonly end: PrefixState;
}

/** Hashes of what stands in front of one place. */
export interface PrefixState {
  readonly prefix: string;
  readonly tools: string;
  readonly system: string;
  readonly thinkingBefore: readonly string[];
}

export function checkBinding(request: AnthropicRequest): BindingResult {
  const findings = [...modifiedFindings(request)];
  const transformations: InputTransformation[] = [];
  const dropped = new Set<PlacedBlock>();
  const policy = policyOf(request);
  let state = startOf(request.body);
  let droppingRun = false;
  for (const { block, segment } of messageSegments(request.conversation)) {
    if (block !== null && isThinking(block)) {
      const fault = policy === "off" ? null : faultOf(request, block, state);
      if (policy === "error" && fault !== null) findings.push(rejectionOf(block, fault, state));
      if (policy === "drop" && (fault !== null || droppingRun)) {
        dropped.add(block);
        droppingRun = true;
        transformations.push({
          type: "thinking_dropped",
          path: block.path,
          reason: fault?.reason ?? "prefix_binding_mismatch",
        });
      }
      if (policy === "allow" && fault !== null) {
        transformations.push({ type: "thinking_mismatch_allowed", path: block.path, reason: fault.reason });
      }
    } else droppingRun = false;
    state = stepOver(state, segment.text, block);
  }
  return { findings, transformations, dropped, end: state };
}

type Policy = "off" | "allow" | "error" | "drop";

function policyOf({ model, body, context, betas }: AnthropicRequest): Policy {
  if (!model.bindsThinking) return "off";
  const asked = asObject(asObject(body.thinking).block_binding).prefix_mismatch_behavior;
  if (betas.has(bindingBeta) && asked === "drop_block") return "drop";
  if (betas.has(bindingBeta) && asked === "error") return "error";
  return context.settings.boundThinking ? "error" : "allow";
}

function startOf(body: JsonObject): PrefixState {
  const tools = hash(toolSegments(body).map((one) => one.text));
  const system = hash(systemSegments(body).map((one) => one.text));
  return { prefix: hash([tools, system]), tools, system, thinkingBefore: [] };
}

export function stepOver(state: PrefixState, text: string, block: PlacedBlock | null): PrefixState {
  const prefix = hash([state.prefix, text]);
  if (block === null || !isThinking(block)) return { ...state, prefix };
  return { ...state, prefix, thinkingBefore: [...state.thinkingBefore, sealOf(block)] };
}

export function sealOf({ type, block }: PlacedBlock): string {
  return asText(block[type === "thinking" ? "signature" : "data"]);
}

interface Fault {
  readonly reason: InputTransformation["reason"];
  readonly issued: IssuedThinking;
}

function faultOf({ context, model }: AnthropicRequest, block: PlacedBlock, state: PrefixState): Fault | null {
  const issued = context.memory.thinking.get(sealOf(block));
  if (issued === undefined) return null;
  if (issued.model !== model.name) return { reason: "model_binding_mismatch", issued };
  return issued.prefix === state.prefix ? null : { reason: "prefix_binding_mismatch", issued };
}

function rejectionOf(block: PlacedBlock, { reason, issued }: Fault, state: PrefixState): Rejection {
  const member = block.type === "thinking" ? "signature" : "data";
  const invalid = `${block.path}: Invalid \`${member}\` in \`${block.type}\` block.`;
  if (reason === "model_binding_mismatch") {
    return { rule: "A-SIG-18", message: `${invalid} The block was created by a different model.` };
  }
  return {
    rule: "A-PREFIX-19",
    message:
      `${invalid} The block is bound to a different conversation. Remove the block, or set ` +
      `\`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".${changeOf(issued, state)}`,
  };
}

function changeOf(issued: IssuedThinking, state: PrefixState): string {
  if (issued.system !== state.system) return " The `system` prompt differs from the one the block was created with.";
  if (issued.tools !== state.tools) return " The `tools` differ from those the block was created with.";
  if (issued.thinkingBefore.some((one) => !state.thinkingBefore.includes(one))) {
    return " The `thinking` block that preceded this one when it was created is missing from this request.";
  }
  return "";
}

function hash(parts: readonly string[]): string {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(`${part.length} ${part}`);
  return digest.digest("hex");
}
