/** What Bedrock Converse rejects (`docs/spec/provider-rules-others.md`, B-…). Data only; the order is the order of repair. */
import {
  cachePoints,
  emptyErrors,
  foreignReasoningBlocks,
  missingToolConfig,
  mixedTurns,
  roleFaults,
} from "../detect/order-converse.ts";
import { openCalls } from "../detect/pairing-anthropic.ts";
import { repeatedIdsInRow, surplusResults } from "../detect/pairing-converse.ts";
import { otherVendors, withoutPromptCache } from "../models.ts";
import { dropPlaces } from "../repair/drop-places.ts";
import { suffixIds } from "../repair/ids.ts";
import { fillEmptyErrors, offerNamedTools, partMixedTurns, takeTurns } from "../repair/order-converse.ts";
import { dropSurplus, synthesiseResults } from "../repair/pairing-anthropic.ts";
import { dropThinking } from "../repair/thinking-anthropic.ts";
import { defineRule, type Rule } from "../rule.ts";

const place = { apis: ["bedrock-converse-stream"], backends: ["bedrock"] } as const;

export const converseRules: readonly Rule[] = [
  defineRule({
    ...place,
    id: "B-DUP-3",
    detect: repeatedIdsInRow,
    repair: { kind: "rename_id", changes: "shape", plan: suffixIds },
    match: [/toolUse blocks at messages\.\d+\.content contain duplicate Ids/],
    evidence: "V",
    sources: ["docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html"],
  }),
  defineRule({
    ...place,
    id: "B-PAIR-2",
    detect: surplusResults,
    repair: { kind: "orphan_to_text", changes: "shape", plan: dropSurplus },
    match: [/number of toolResult blocks at messages\.\d+\.content exceeds the number of toolUse blocks/],
    evidence: "V",
    sources: ["strands-agents/sdk-python#1435", "pydantic/pydantic-ai#2327"],
  }),
  defineRule({
    ...place,
    id: "B-PAIR-1",
    detect: openCalls,
    repair: { kind: "synthesise_result", changes: "shape", plan: synthesiseResults },
    match: [/Expected toolResult blocks at messages\.\d+\.content for the following Ids/],
    evidence: "V",
    sources: ["strands-agents/sdk-python#1435", "pydantic/pydantic-ai#2327"],
  }),
  defineRule({
    ...place,
    models: otherVendors,
    id: "B-REAS-7",
    detect: foreignReasoningBlocks,
    repair: { kind: "drop_foreign_reasoning", changes: "shape", plan: dropThinking },
    match: [
      /This model doesn't support the reasoningContent\.reasoningText\.signature field/,
      /User messages cannot contain reasoning content/,
    ],
    evidence: "V",
    sources: ["BerriAI/litellm!50073"],
  }),
  defineRule({
    ...place,
    models: otherVendors,
    id: "B-MIX-5",
    detect: mixedTurns,
    repair: { kind: "well_form", changes: "shape", plan: partMixedTurns },
    match: [/Conversation blocks and tool result blocks cannot be provided in the same turn/],
    evidence: "V",
    sources: ["langchain-ai/langchain-aws#141"],
  }),
  defineRule({
    ...place,
    models: withoutPromptCache,
    id: "B-CP-9",
    detect: cachePoints,
    repair: { kind: "trim_markers", changes: "shape", plan: dropPlaces },
    match: [/cachePoint|explicit prompt caching/i],
    evidence: "V",
    sources: ["BerriAI/litellm!39210"],
  }),
  defineRule({
    ...place,
    id: "B-ROLE-8",
    detect: roleFaults,
    repair: { kind: "well_form", changes: "shape", plan: takeTurns },
    match: [
      /roles must alternate between "user" and "assistant"/,
      /A conversation must (start with|alternate)/,
      /The (text|content) field .* is (blank|empty)/,
    ],
    evidence: "D",
    sources: ["docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html"],
  }),
  defineRule({
    ...place,
    id: "B-ERR-6",
    detect: emptyErrors,
    repair: { kind: "well_form", changes: "shape", plan: fillEmptyErrors },
    match: [/content field at messages\.\d+\.content\.\d+\.toolResult cannot be empty when status value is error/],
    evidence: "V",
    sources: ["docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html"],
  }),
  defineRule({
    ...place,
    id: "B-CFG-4",
    detect: missingToolConfig,
    repair: { kind: "set_option", changes: "option", plan: offerNamedTools },
    match: [/toolConfig field must be defined when using toolUse and toolResult content blocks/],
    evidence: "V",
    sources: ["vxcontrol/pentagi!196", "patriceckhart/zot!18"],
  }),
];
