/** What single servers reject beyond the formats that they copy (`docs/spec/provider-rules-openai.md`, K-…). Data only. */
import { nilContents } from "../detect/content-chat.ts";
import { emptyResults } from "../detect/empty-results.ts";
import { cleanedKimiIds, forcedKimiTool, kimiFaults } from "../detect/kimi-chat.ts";
import { openChatCalls } from "../detect/pairing-chat.ts";
import { deepseekTurnsWithoutThinking, missingDeepseekReasoning, rowsWithMember } from "../detect/reasoning-chat.ts";
import { templateFaults } from "../detect/template-chat.ts";
import { emptyStrings } from "../repair/content-chat.ts";
import { dropPlaces } from "../repair/drop-places.ts";
import { chooseAutoTool, repairKimiFaults, restoreKimiIds } from "../repair/kimi-chat.ts";
import { answerChatCalls } from "../repair/pairing-chat.ts";
import { emptyReasoning, emptyThinking } from "../repair/reasoning-chat.ts";
import { fitTemplate } from "../repair/template-chat.ts";
import { emptyRowText } from "../repair/wording.ts";
import { defineRule, type Rule } from "../rule.ts";

const apis = ["openai-completions"] as const;

export const compatibleRules: readonly Rule[] = [
  defineRule({
    apis,
    backends: ["qwen"],
    id: "K-QWEN-8",
    detect: openChatCalls,
    repair: { kind: "move_result", changes: "shape", plan: answerChatCalls },
    match: [/InternalError\.Algo\.InvalidParameter: An assistant message with \\?"tool_calls\\?"/],
    evidence: "V",
    sources: ["QwenLM/qwen-code#606"],
  }),
  defineRule({
    apis,
    backends: ["deepseek"],
    id: "K-DS-1",
    detect: missingDeepseekReasoning,
    repair: { kind: "well_form", changes: "shape", plan: emptyReasoning },
    match: [
      /Missing `reasoning_content` field in the assistant message/,
      /The `reasoning_content` in the thinking mode must be passed back/,
    ],
    evidence: "V",
    sources: ["earendil-works/pi#3636", "continuedev/continue#10193", "api-docs.deepseek.com/guides/thinking_mode"],
  }),
  defineRule({
    apis: ["anthropic-messages"],
    backends: ["deepseek"],
    id: "K-DS-1",
    detect: deepseekTurnsWithoutThinking,
    repair: { kind: "well_form", changes: "shape", plan: emptyThinking },
    match: [/The `content\[\]\.thinking` in the thinking mode must be passed back/],
    // The words are seen; which turns they mean, and what is taken instead, only documents and other programs say.
    evidence: "D",
    sources: ["api-docs.deepseek.com/guides/thinking_mode", "esengine/DeepSeek-Reasonix#8902", "QwenLM/qwen-code!3788"],
  }),
  defineRule({
    apis: ["openai-responses"],
    backends: ["deepseek"],
    id: "K-DS-1",
    // Nobody has shown what is taken in the place of a reasoning item that is gone.
    detect: () => [],
    match: [/The `?reasoning_text`? in the thinking mode must be passed back/],
    evidence: "D",
    sources: ["can1357/oh-my-pi#8248", "can1357/oh-my-pi#10690"],
  }),
  defineRule({
    apis,
    backends: ["moonshot"],
    id: "K-KIMI-2",
    detect: kimiFaults,
    repair: { kind: "well_form", changes: "shape", plan: repairKimiFaults },
    match: [
      /thinking is enabled but reasoning_content is missing in assistant tool call message/,
      /tool_call_id \S* ?is not found/,
      /text content is empty/,
      /the message at position \d+ with role 'assistant' must not be empty/,
    ],
    evidence: "V",
    sources: ["mastra-ai/mastra#12592", "MoonshotAI/kimi-code#1053", "anomalyco/opencode!45839"],
  }),
  defineRule({
    apis,
    backends: ["moonshot"],
    id: "K-KIMI-2",
    detect: forcedKimiTool,
    repair: { kind: "set_option", changes: "option", plan: chooseAutoTool },
    match: [/tool_choice 'specified' is incompatible with thinking enabled/],
    evidence: "V",
    sources: ["can1357/oh-my-pi#1077"],
  }),
  defineRule({
    apis,
    backends: ["vllm"],
    models: (model) => /kimi/i.test(model ?? ""),
    id: "K-KIMIID-3",
    silent: true,
    detect: cleanedKimiIds,
    repair: { kind: "rename_id", changes: "shape", plan: restoreKimiIds },
    match: [],
    evidence: "M",
    sources: ["NVIDIA-NeMo/Switchyard#178", "fw-ai/fireconnect#16"],
  }),
  defineRule({
    apis,
    backends: ["groq", "cerebras"],
    id: "K-GROQ-4",
    detect: rowsWithMember("reasoning_content"),
    repair: { kind: "drop_foreign_reasoning", changes: "shape", plan: dropPlaces },
    match: [/property 'reasoning_content' is unsupported/],
    evidence: "V",
    sources: ["janhq/jan#8136", "Kilo-Org/kilocode#10375", "karthink/gptel#774"],
  }),
  defineRule({
    apis,
    backends: ["ollama"],
    id: "K-OLL-5",
    detect: nilContents,
    repair: { kind: "well_form", changes: "shape", plan: emptyStrings },
    match: [/invalid message content type: <nil>/],
    evidence: "V",
    sources: ["can1357/oh-my-pi!1586"],
  }),
  defineRule({
    apis,
    backends: ["ollama"],
    models: (model) => /[-:]cloud$/.test(model ?? ""),
    id: "K-OLL-5",
    detect: rowsWithMember("thinking"),
    repair: { kind: "drop_foreign_reasoning", changes: "shape", plan: dropPlaces },
    match: [/unknown field:? "?thinking/],
    evidence: "O",
    sources: ["can1357/oh-my-pi!1586"],
  }),
  defineRule({
    apis,
    backends: ["vllm", "llamacpp", "lmstudio"],
    id: "K-TPL-6",
    detect: templateFaults,
    repair: { kind: "well_form", changes: "shape", plan: fitTemplate },
    match: [/[Cc]onversation roles must alternate user(\/| and )assistant/, /System message must be at the beginning/],
    evidence: "V",
    sources: ["microsoft/autogen#1037", "SWE-agent/mini-swe-agent#759", "mistralai/mistral-vibe#1006"],
  }),
  defineRule({
    apis: ["anthropic-messages"],
    backends: ["zai"],
    id: "K-ZAI-7",
    detect: emptyResults,
    repair: {
      kind: "well_form",
      changes: "shape",
      plan: (_request, faults) => faults.map(({ path }) => ({ op: "replace", path, value: emptyRowText })),
    },
    match: [/The prompt parameter was not received/],
    evidence: "V",
    sources: ["github.com/can1357/oh-my-pi/blob/main/packages/ai/CHANGELOG.md"],
  }),
];
