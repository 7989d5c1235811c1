/** What Anthropic Messages rejects (`docs/spec/provider-rules.md`, A-…). Data only; the order is the order of repair. */
import { errorsWithMedia, misplacedCompactions } from "../detect/compaction-anthropic.ts";
import { badNames, foreignIds, unknownReferences } from "../detect/ids-anthropic.ts";
import { mislabelledImages, oversizedImages } from "../detect/images.ts";
import { doubtfulMarkers, risingTtls, tooManyMarkers } from "../detect/markers-anthropic.ts";
import {
  brokenServerCalls,
  forcedToolChoice,
  misplacedSystemRows,
  prefill,
  systemRows,
  tooManyRows,
} from "../detect/options-anthropic.ts";
import {
  callsInUserTurns,
  lateResults,
  openCalls,
  orphanResults,
  repeatedCallIds,
  repeatedResults,
  resultsInAssistantTurns,
  textBehindCalls,
} from "../detect/pairing-anthropic.ts";
import { foreignThinking, modifiedThinking, unboundThinking } from "../detect/sealed-thinking.ts";
import { brokenTexts, emptyTexts, trailingSpace } from "../detect/text-anthropic.ts";
import { loopWithoutThinking, thinkingAtEnd, thinkingAtTail, unsignedThinking } from "../detect/thinking-anthropic.ts";
import { boundThinking, claude } from "../models.ts";
import { nameEmptyCalls, sanitiseIds, suffixIds } from "../repair/ids.ts";
import { nameMediaTypes } from "../repair/images.ts";
import { dropMarkers, shortenTtls } from "../repair/markers-anthropic.ts";
import { chooseAuto, demoteSystemRows, endWithUser } from "../repair/options-anthropic.ts";
import {
  keepOneResult,
  leadResults,
  moveTextForward,
  placeOrphans,
  returnResults,
  synthesiseResults,
} from "../repair/pairing-anthropic.ts";
import { fillEmptyTexts, makeWellFormed, trimEnd } from "../repair/text-anthropic.ts";
import {
  dropForeign,
  dropThinking,
  dropUnbound,
  restoreThinking,
  switchThinkingOff,
} from "../repair/thinking-anthropic.ts";
import { defineRule, type Rule } from "../rule.ts";

const place = { apis: ["anthropic-messages"], backends: ["anthropic", "vertex", "bedrock"] } as const;

/** The families that take no assistant prefill. */
const withoutPrefill = claude({ from: 406 });
const withPrefill = claude({ until: 405 });

/** System rows inside the history came with these. */
const withSystemRows = claude({ from: 408 });
const withoutSystemRows = claude({ until: 407 });

export const anthropicRules: readonly Rule[] = [
  defineRule({
    ...place,
    id: "A-UTF-15",
    detect: brokenTexts,
    repair: { kind: "well_form", changes: "shape", plan: makeWellFormed },
    match: [/not valid JSON: (no low surrogate|unexpected end of data)/],
    evidence: "V",
    sources: ["anthropics/claude-code#56064", "anthropics/claude-code#94408"],
  }),
  defineRule({
    ...place,
    id: "A-NAME-11",
    detect: badNames,
    repair: { kind: "rename_id", changes: "shape", plan: nameEmptyCalls },
    match: [
      /\.name: String should match pattern/,
      /Tool names must be unique/,
      /tool_name_conflict|available_tools_limit_exceeded/,
    ],
    evidence: "V",
    sources: ["can1357/oh-my-pi#3458"],
  }),
  defineRule({
    ...place,
    id: "A-ID-10",
    detect: foreignIds,
    repair: { kind: "rename_id", changes: "shape", plan: sanitiseIds },
    match: [/tool_use\.id: String should match pattern/],
    evidence: "V",
    sources: ["huggingface/tau#385", "NVIDIA-NeMo/Switchyard#178"],
  }),
  defineRule({
    ...place,
    id: "A-ROLE-5",
    detect: (request) => [...resultsInAssistantTurns(request), ...callsInUserTurns(request)],
    repair: {
      kind: "move_result",
      changes: "shape",
      plan: (request) => returnResults(request, resultsInAssistantTurns(request)),
    },
    match: [/`tool_(use|result)` blocks can only be in `(assistant|user)` messages/],
    evidence: "V",
    sources: ["platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use"],
  }),
  defineRule({
    ...place,
    id: "A-DUP-6",
    detect: repeatedCallIds,
    repair: { kind: "rename_id", changes: "shape", plan: suffixIds },
    match: [/`tool_use` ids must be unique/],
    evidence: "V",
    sources: ["anthropics/claude-code#21317", "NVIDIA-NeMo/Switchyard#502"],
  }),
  defineRule({
    ...place,
    id: "A-DUPRES-7",
    detect: repeatedResults,
    repair: { kind: "orphan_to_text", changes: "shape", plan: keepOneResult },
    match: [/each tool_use must have a single result/],
    evidence: "V",
    sources: ["vectorize-io/hindsight#4250"],
  }),
  defineRule({
    ...place,
    id: "A-PAIR-2",
    detect: orphanResults,
    repair: { kind: "orphan_to_text", changes: "shape", plan: placeOrphans },
    match: [/unexpected `tool_use_id` found in `tool_result` blocks/],
    evidence: "V",
    sources: ["anthropics/claude-code#31328", "openclaw/openclaw#9769"],
  }),
  defineRule({
    ...place,
    id: "A-LEAD-3",
    detect: lateResults,
    repair: { kind: "move_result", changes: "shape", plan: leadResults },
    match: [/`tool_use` ids were found without `tool_result` blocks immediately after/],
    evidence: "M",
    sources: ["V1ki/dsh-plugin-subscriptions#22"],
  }),
  defineRule({
    ...place,
    id: "A-ASST-4",
    detect: textBehindCalls,
    repair: { kind: "move_result", changes: "shape", plan: moveTextForward },
    match: [/`tool_use` ids were found without `tool_result` blocks immediately after/],
    evidence: "M",
    sources: ["gotgenes/pi-anthropic-auth#66", "NousResearch/hermes-agent#35975"],
  }),
  defineRule({
    ...place,
    id: "A-PAIR-1",
    detect: openCalls,
    repair: { kind: "synthesise_result", changes: "shape", plan: synthesiseResults },
    match: [
      /`tool_use` ids were found without `tool_result` blocks immediately after/,
      /Did not find \d+ `tool_result` block\(s\) at the beginning of this message/,
    ],
    evidence: "V",
    sources: ["anthropics/claude-code#1237", "earendil-works/pi#4189"],
  }),
  defineRule({
    ...place,
    id: "A-SRV-8",
    detect: brokenServerCalls,
    match: [
      /unexpected `tool_use_id` found in `\w+_tool_result` blocks/,
      /tool use with id \S+ was found without a corresponding `\w+_tool_result` block/,
    ],
    evidence: "V",
    sources: ["anthropics/claude-code#64383", "anthropics/anthropic-sdk-typescript#841"],
  }),
  defineRule({
    ...place,
    id: "A-REF-9",
    detect: unknownReferences,
    match: [/Tool reference '[^']*' not found in available tools/, /tool_reference_unresolved/],
    evidence: "V",
    sources: ["anthropics/claude-code#79970"],
  }),
  defineRule({
    ...place,
    id: "A-SIG-18",
    detect: (request, context) => [...unsignedThinking(request), ...foreignThinking(request, context)],
    repair: { kind: "drop_foreign_reasoning", changes: "shape", plan: dropForeign },
    match: [/Invalid `signature` in `thinking` block(?!. The block is bound)/, /thinking\.signature: Field required/],
    evidence: "V",
    sources: ["RooCodeInc/Roo-Code#10461", "anomalyco/opencode#6418"],
  }),
  defineRule({
    ...place,
    id: "A-THINK-11",
    // Sonnet 4.5 was measured lenient under the interleaved beta.
    models: claude({ from: 307, except: [{ line: "sonnet", version: 405 }] }),
    detect: modifiedThinking,
    repair: { kind: "restore", changes: "shape", plan: restoreThinking },
    match: [/blocks in the latest assistant message cannot be modified/],
    evidence: "V",
    sources: ["anthropics/claude-code#63277", "can1357/oh-my-pi#8559"],
  }),
  defineRule({
    ...place,
    id: "A-PREFIX-19",
    models: boundThinking,
    accountDependent: true,
    detect: unboundThinking,
    repair: { kind: "drop_foreign_reasoning", changes: "shape", plan: dropUnbound },
    match: [/The block is bound to a different conversation/],
    evidence: "V",
    sources: ["pydantic/pydantic-ai#7984", "kirodotdev/KiroCrew!11513"],
  }),
  defineRule({
    ...place,
    id: "A-THINK-16",
    models: claude({ from: 307, until: 405, except: [{ line: "sonnet", version: 405 }] }),
    detect: loopWithoutThinking,
    repair: { kind: "set_option", changes: "option", plan: switchThinkingOff },
    match: [/Expected `thinking` or `redacted_thinking`, but found/],
    evidence: "V",
    sources: ["anomalyco/opencode#3077", "OpenHands/software-agent-sdk!1406"],
  }),
  defineRule({
    ...place,
    id: "A-EMPTY-12",
    detect: emptyTexts,
    repair: { kind: "well_form", changes: "shape", plan: fillEmptyTexts },
    match: [
      /text content blocks must (be non-empty|contain non-whitespace text)/,
      /all messages must have non-empty content/,
    ],
    evidence: "V",
    sources: ["NousResearch/hermes-agent#70475", "anthropics/claude-code#60837"],
  }),
  defineRule({
    ...place,
    id: "A-THINK-17",
    models: withPrefill,
    detect: thinkingAtTail,
    repair: { kind: "fix_tail", changes: "shape", recipe: "drop_thinking", plan: dropThinking },
    match: [/When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`/],
    evidence: "V",
    sources: ["tailcallhq/forgecode#1853"],
  }),
  defineRule({
    ...place,
    id: "A-THINK-31",
    models: withPrefill,
    detect: thinkingAtEnd,
    repair: { kind: "fix_tail", changes: "shape", recipe: "drop_thinking", plan: dropThinking },
    match: [/The final block in an assistant message cannot be `thinking`/],
    evidence: "V",
    sources: ["tailcallhq/forgecode#2107", "router-for-me/CLIProxyAPI!5322"],
  }),
  defineRule({
    ...place,
    id: "A-WS-14",
    models: withPrefill,
    detect: trailingSpace,
    repair: { kind: "fix_tail", changes: "shape", recipe: "trim_end", plan: trimEnd },
    match: [/final assistant content cannot end with trailing whitespace/],
    evidence: "V",
    sources: ["tailcallhq/forgecode#1872", "anomalyco/opencode#1295"],
  }),
  defineRule({
    ...place,
    id: "A-PREFILL-21",
    models: withoutPrefill,
    detect: prefill,
    repair: { kind: "fix_tail", changes: "content", recipe: "continue_row", plan: endWithUser },
    match: [/does not support assistant message prefill/],
    evidence: "V",
    sources: ["anomalyco/opencode#19981", "cortexkit/magic-context#511"],
  }),
  defineRule({
    ...place,
    id: "A-SYS-22",
    detect: (request) => {
      if (withoutSystemRows(request.model)) return systemRows(request);
      return withSystemRows(request.model) ? misplacedSystemRows(request) : [];
    },
    repair: { kind: "orphan_to_text", changes: "shape", plan: demoteSystemRows },
    match: [/Unexpected role "system"/, /role 'system' must precede an 'assistant' message/],
    evidence: "V",
    sources: ["ianarawjo/ChainForge#271", "anthropics/claude-code#73821"],
  }),
  defineRule({
    ...place,
    id: "A-CC-23",
    detect: tooManyMarkers,
    repair: { kind: "trim_markers", changes: "shape", plan: dropMarkers },
    match: [/A maximum of 4 blocks with cache_control may be provided/],
    evidence: "V",
    sources: ["Wei-Shaw/sub2api#176", "oguzbilgic/kern-ai#316"],
  }),
  defineRule({
    ...place,
    id: "A-CC-24",
    detect: risingTtls,
    repair: { kind: "trim_markers", changes: "shape", plan: shortenTtls },
    match: [/ttl='1h' cache_control block must not come after a ttl='5m' cache_control block/],
    evidence: "V",
    sources: ["cnighswonger/claude-code-cache-fix#44"],
  }),
  defineRule({
    ...place,
    id: "A-CC-25",
    detect: doubtfulMarkers,
    match: [/cache_control\S*: Extra inputs are not permitted/],
    evidence: "?",
    sources: ["router-for-me/CLIProxyAPI!4563", "BerriAI/litellm#17250"],
  }),
  defineRule({
    ...place,
    id: "A-IMG-26",
    detect: oversizedImages,
    match: [/image dimensions exceed max allowed size/, /image_dimensions_too_large/],
    evidence: "V",
    sources: ["anthropics/claude-code#54346", "vybestack/llxprt-code#3216"],
  }),
  defineRule({
    ...place,
    id: "A-IMG-32",
    detect: mislabelledImages,
    repair: { kind: "well_form", changes: "shape", plan: nameMediaTypes },
    match: [/specified using the image\/\S+ media type, but the image appears to be/],
    evidence: "V",
    sources: ["vybestack/llxprt-code#2130"],
  }),
  defineRule({
    ...place,
    id: "A-FORCE-20",
    detect: forcedToolChoice,
    repair: { kind: "set_option", changes: "option", plan: chooseAuto },
    match: [
      /tool_choice: type .* are not supported for this model/,
      /Thinking may not be enabled when tool_choice forces tool use/,
    ],
    evidence: "V",
    sources: ["UKGovernmentBEIS/inspect_ai!5176", "can1357/oh-my-pi#341"],
  }),
  defineRule({
    ...place,
    id: "A-CMP-28",
    detect: misplacedCompactions,
    match: [/\bcompaction_(block|content|incomplete|nothing|signature|too_many|tool_changes|unavailable)\w*/],
    evidence: "D",
    sources: ["platform.claude.com/docs/en/build-with-claude/compaction"],
  }),
  defineRule({
    ...place,
    id: "A-THR-29",
    // The state of a thread is the server's: nothing in a body shows it beforehand.
    detect: () => [],
    match: [/\bthread_(already_continued|continue_in_flight|fingerprint_mismatch|not_found|unsupported_request)\b/],
    evidence: "D",
    sources: ["platform.claude.com/docs/en/api/messages"],
  }),
  defineRule({
    ...place,
    id: "A-ERRIMG-27",
    detect: errorsWithMedia,
    match: [/all content must be type `text` if `is_error` is true/],
    evidence: "O",
    sources: ["vellum-ai/vellum-assistant!18387", "caozhiyuan/copilot-api!196"],
  }),
  defineRule({
    ...place,
    id: "A-MAX-30",
    detect: tooManyRows,
    match: [/too many messages|at most 100,?000 messages/i],
    evidence: "D",
    sources: ["platform.claude.com/docs/en/api/messages"],
  }),
];
