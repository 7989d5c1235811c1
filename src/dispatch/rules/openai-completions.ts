/** What Chat Completions rejects (`docs/spec/provider-rules-openai.md`, C-…). Data only; the order is the order of repair. */
import { brokenArguments, emptyLists, missingContents } from "../detect/content-chat.ts";
import { badFunctionNames, developerRows } from "../detect/names-chat.ts";
import { openChatCalls, orphanToolRows } from "../detect/pairing-chat.ts";
import { emptyStrings } from "../repair/content-chat.ts";
import { dropPlaces } from "../repair/drop-places.ts";
import { renameToSystem } from "../repair/names-chat.ts";
import { answerChatCalls, orphanRowsToText } from "../repair/pairing-chat.ts";
import { defineRule, type Rule } from "../rule.ts";

const apis = ["openai-completions"] as const;

/** Servers whose own words for a broken pair are known. Those that render a chat template mostly take it. */
const pairing = ["openai", "azure", "deepseek", "moonshot", "qwen"] as const;

export const chatRules: readonly Rule[] = [
  defineRule({
    apis,
    backends: ["openai", "azure"],
    id: "C-NAME-4",
    detect: badFunctionNames,
    match: [/tools\[\d+\]\.function\.name': (string does not match pattern|string too long)/],
    evidence: "D",
    sources: ["platform.openai.com/docs/api-reference/chat/create"],
  }),
  defineRule({
    apis,
    backends: ["deepseek"],
    id: "C-NAME-4",
    detect: developerRows,
    repair: { kind: "well_form", changes: "shape", plan: renameToSystem },
    match: [/role: unknown variant `developer`/],
    evidence: "V",
    sources: ["earendil-works/pi#1048", "theopenco/llmgateway!3462"],
  }),
  defineRule({
    apis,
    backends: ["openai", "azure", "deepseek", "moonshot", "lmstudio"],
    id: "C-NULL-3",
    detect: missingContents,
    repair: { kind: "well_form", changes: "shape", plan: emptyStrings },
    match: [
      /Invalid value for 'content': expected a string, got null/,
      /messages\[\d+\]\.content': empty array/,
      /Invalid assistant message: content or tool_calls must be set/,
    ],
    evidence: "V",
    sources: ["lmstudio-ai/lmstudio-bug-tracker#261", "can1357/oh-my-pi!1586", "carlrobertoh/ProxyAI#834"],
  }),
  defineRule({
    apis,
    backends: ["openai", "azure"],
    id: "C-EMPTYTOOLS-5",
    detect: emptyLists,
    repair: { kind: "well_form", changes: "shape", plan: dropPlaces },
    match: [/'(tools|messages\[\d+\]\.tool_calls)': empty array/],
    evidence: "?",
    sources: ["platform.openai.com/docs/api-reference/chat/create"],
  }),
  defineRule({
    apis,
    backends: ["qwen", "vllm", "llamacpp", "lmstudio"],
    id: "C-ARG-6",
    detect: brokenArguments,
    match: [/arguments.*(must be|in) (valid )?JSON/i, /Failed to parse.*arguments/i],
    evidence: "?",
    sources: ["platform.openai.com/docs/api-reference/chat/create"],
  }),
  defineRule({
    apis,
    backends: pairing,
    id: "C-PAIR-1",
    detect: openChatCalls,
    repair: { kind: "move_result", changes: "shape", plan: answerChatCalls },
    match: [
      /must be followed by tool messages responding to each 'tool_call_id'/,
      /insufficient tool messages following tool_calls message/,
    ],
    evidence: "V",
    sources: ["BerriAI/litellm#10083", "HKUDS/OpenHarness#171", "Yanyutin753/LambChat#496"],
  }),
  defineRule({
    apis,
    backends: pairing,
    id: "C-PAIR-2",
    detect: orphanToolRows,
    repair: { kind: "orphan_to_text", changes: "shape", plan: orphanRowsToText },
    match: [
      /messages with role 'tool' must be a response to a prece+ding message with 'tool_calls'/,
      /'tool_call_id' of '.*' not found in 'tool_calls' of previous message/,
    ],
    evidence: "V",
    sources: ["tmonk/pi-goal-x#48", "openai/openai-go#43", "miurla/morphic#136"],
  }),
];
