/** What the ChatGPT back end of Codex rejects beyond Responses (`docs/spec/provider-rules-openai.md`, X-…). Data only. */
import {
  missingInstructions,
  previousResponse,
  storeSwitchedOn,
  systemItems,
  unsupportedOptions,
} from "../detect/options-responses.ts";
import { dropPlaces } from "../repair/drop-places.ts";
import { renameToDeveloper, switchStoreOff } from "../repair/options-responses.ts";
import { defineRule, type Rule } from "../rule.ts";

const place = { apis: ["openai-codex-responses", "openai-responses"], backends: ["codex"] } as const;

export const codexRules: readonly Rule[] = [
  defineRule({
    ...place,
    id: "X-INSTR-1",
    detect: missingInstructions,
    match: [/Instructions are (required|not valid)/],
    evidence: "V",
    sources: ["earendil-works/pi#4184", "vybestack/llxprt-code#1197", "openai/codex#3202"],
  }),
  defineRule({
    ...place,
    id: "X-SYS-2",
    detect: systemItems,
    repair: { kind: "well_form", changes: "shape", plan: renameToDeveloper },
    match: [/System messages are not allowed/],
    evidence: "V",
    sources: ["router-for-me/CLIProxyAPI!1121"],
  }),
  defineRule({
    ...place,
    id: "X-STORE-3",
    detect: storeSwitchedOn,
    repair: { kind: "set_option", changes: "option", plan: switchStoreOff },
    match: [/Store must be set to false/],
    evidence: "V",
    sources: ["openai/codex#26173"],
  }),
  defineRule({
    ...place,
    id: "X-PARAM-4",
    detect: unsupportedOptions,
    repair: { kind: "set_option", changes: "option", plan: dropPlaces },
    match: [/Unsupported parameter: '?(temperature|top_p|max_output_tokens)/],
    evidence: "V",
    sources: ["can1357/oh-my-pi#3117", "QuantumNous/new-api#4792"],
  }),
  defineRule({
    ...place,
    id: "X-PREV-5",
    detect: previousResponse,
    match: [/Unsupported parameter: '?previous_response_id/],
    evidence: "O",
    sources: ["openai/codex#26173"],
  }),
];
