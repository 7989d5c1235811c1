/** What Mistral's own API rejects (`docs/spec/provider-rules-others.md`, M-…). Data only; the order is the order of repair. */
import {
  assistantAtEnd,
  foreignMistralIds,
  toolRowsBehindOthers,
  userRowsBehindTools,
} from "../detect/order-mistral.ts";
import { openChatCalls } from "../detect/pairing-chat.ts";
import { hashIds } from "../repair/ids.ts";
import { bridgeToUser, endWithUserOrTool, placeToolRows } from "../repair/order-mistral.ts";
import { defineRule, type Rule } from "../rule.ts";

const place = { apis: ["mistral-conversations"], backends: ["mistral"] } as const;

export const mistralRules: readonly Rule[] = [
  defineRule({
    ...place,
    id: "M-ID-1",
    detect: foreignMistralIds,
    repair: { kind: "rename_id", changes: "shape", plan: hashIds },
    match: [/Tool call id was .* but must be a-z, A-Z, 0-9, with a length of 9/, /\b3280\b/],
    evidence: "V",
    sources: ["anomalyco/opencode#1680", "nearai/ironclaw#1241", "karthink/gptel#1203"],
  }),
  defineRule({
    ...place,
    id: "M-ORD-3",
    detect: toolRowsBehindOthers,
    repair: { kind: "move_result", changes: "shape", plan: placeToolRows },
    match: [/Unexpected role 'tool' after role '(user|system|none)'/],
    evidence: "V",
    sources: ["charmbracelet/crush#279"],
  }),
  defineRule({
    ...place,
    id: "M-LAST-4",
    detect: assistantAtEnd,
    repair: { kind: "fix_tail", changes: "content", recipe: "continue_row", plan: endWithUserOrTool },
    match: [/Expected last role User or Tool \(or Assistant with prefix True\) for serving but got assistant/],
    evidence: "V",
    sources: ["huggingface/smolagents#757"],
  }),
  defineRule({
    ...place,
    id: "M-ORD-2",
    detect: userRowsBehindTools,
    repair: { kind: "well_form", changes: "shape", plan: bridgeToUser },
    match: [/Unexpected role 'user' after role 'tool'/],
    evidence: "V",
    sources: ["zed-industries/zed!31736", "NousResearch/hermes-agent#20154"],
  }),
  defineRule({
    ...place,
    id: "M-COUNT-5",
    detect: openChatCalls,
    match: [/Not the same number of function calls and responses/],
    evidence: "?",
    sources: ["docs.mistral.ai/capabilities/function_calling"],
  }),
];
