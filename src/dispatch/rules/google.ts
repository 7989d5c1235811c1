/** What Gemini rejects (`docs/spec/provider-rules-others.md`, G-…). Data only; the order is the order of repair. */
import {
  badDeclarationNames,
  emptyParts,
  modelAtEnd,
  responsesWithoutObject,
  unsignedCalls,
} from "../detect/content-google.ts";
import { earlyCalls, strayResponses, unequalCounts } from "../detect/pairing-google.ts";
import { gemini } from "../models.ts";
import { endWithUserContent, fillParts, skipSignatures } from "../repair/content-google.ts";
import { completeResponses, openWithUser, placeResponses } from "../repair/pairing-google.ts";
import { defineRule, type Rule } from "../rule.ts";

const place = { apis: ["google-generative-ai", "google-vertex"], backends: ["google", "vertex"] } as const;

const unsigned = {
  apis: place.apis,
  models: gemini({ from: 3 }),
  id: "G-SIG-4",
  detect: unsignedCalls,
  match: [/missing a thought_signature in functionCall parts/, /[Tt]hought signature is not valid/],
  evidence: "V",
  sources: ["ai.google.dev/gemini-api/docs/thought-signatures", "docker/docker-agent!2155", "can1357/oh-my-pi#9638"],
} as const;

export const googleRules: readonly Rule[] = [
  defineRule({
    ...place,
    id: "G-NAME-7",
    detect: badDeclarationNames,
    match: [/Invalid function name/],
    evidence: "D",
    sources: ["ai.google.dev/api/caching#FunctionDeclaration"],
  }),
  defineRule({
    ...place,
    id: "G-NAME-7",
    detect: responsesWithoutObject,
    match: [/function_response\.response/],
    evidence: "O",
    sources: ["ai.google.dev/api/caching#FunctionResponse"],
  }),
  defineRule({
    ...place,
    id: "G-EMPTY-5",
    detect: emptyParts,
    repair: { kind: "well_form", changes: "shape", plan: fillParts },
    match: [
      /must include at least one parts field/,
      /contents\.parts must not be empty/,
      /required oneof field 'data' must have one initialized field/,
    ],
    evidence: "V",
    sources: ["google-gemini/gemini-cli#7769", "langgenius/dify#30566", "google-gemini/gemini-cli!27170"],
  }),
  defineRule({
    ...place,
    id: "G-RESP-2",
    detect: strayResponses,
    repair: { kind: "move_result", changes: "shape", plan: placeResponses },
    match: [/function response turn comes immediately after a function call turn/],
    evidence: "V",
    sources: ["langchain-ai/langchain#27799", "BerriAI/litellm#26755"],
  }),
  defineRule({
    ...place,
    id: "G-COUNT-3",
    detect: unequalCounts,
    repair: { kind: "synthesise_result", changes: "shape", plan: completeResponses },
    match: [/number of function response parts is equal to the number of function call parts/],
    evidence: "V",
    sources: ["google-gemini/gemini-cli#3814", "google-gemini/gemini-cli#16543", "google-gemini/gemini-cli#5443"],
  }),
  defineRule({
    ...place,
    id: "G-CALL-1",
    detect: earlyCalls,
    repair: { kind: "well_form", changes: "shape", plan: openWithUser },
    match: [/function call turn comes immediately after a user turn or after a function response turn/],
    evidence: "V",
    sources: ["google-gemini/gemini-cli#11814", "continuedev/continue#11164", "lobehub/lobehub#10049"],
  }),
  defineRule({
    ...unsigned,
    backends: ["google"],
    repair: { kind: "well_form", changes: "shape", plan: skipSignatures },
  }),
  // Vertex does not take what stands for a signature on the public API.
  defineRule({ ...unsigned, backends: ["vertex"] }),
  defineRule({
    ...place,
    id: "G-END-6",
    detect: modelAtEnd,
    repair: { kind: "fix_tail", changes: "content", recipe: "continue_row", plan: endWithUserContent },
    match: [/must end with a user (role|turn)|single turn requests end with a user role/],
    evidence: "V",
    sources: ["crewAIInc/crewAI!6973"],
  }),
];
