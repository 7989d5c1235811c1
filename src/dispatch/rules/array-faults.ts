/** Which rule of an api a fault in an agent's array breaks, once the agent's encoder has written it. Data only. */
import type { Api } from "../../wire/api.ts";
import type { ArrayFault } from "../repair-array.ts";

const responses = { parted: "R-DUPOUT-3", orphan: "R-PAIR-2" } as const;
const google = { parted: "G-RESP-2", orphan: "G-RESP-2" } as const;

/**
 * Measured with Pi's encoders: for a parted result they make another one beside the call, so that the real one is the
 * second (Anthropic, Responses), or stands where no result may stand (all others).
 */
export const ARRAY_RULES: { readonly [api in Api]?: Readonly<Record<ArrayFault, string>> } = {
  "anthropic-messages": { parted: "A-DUPRES-7", orphan: "A-PAIR-2" },
  "openai-completions": { parted: "C-PAIR-2", orphan: "C-PAIR-2" },
  "openai-responses": responses,
  "openai-codex-responses": responses,
  "azure-openai-responses": responses,
  "google-generative-ai": google,
  "google-vertex": google,
  "bedrock-converse-stream": { parted: "B-PAIR-2", orphan: "B-PAIR-2" },
  "mistral-conversations": { parted: "M-ORD-3", orphan: "M-ORD-3" },
};
