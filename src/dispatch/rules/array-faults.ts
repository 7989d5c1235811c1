/** Which rule of an api a fault in an agent's array breaks, once the agent's encoder has written it. Data only. */
import type { Api } from "../../wire/api.ts";
import type { ArrayFault } from "../repair-array.ts";

const responses = { parted: "R-DUPOUT-3", orphan: "R-PAIR-2" } as const;

/**
 * Measured with Pi's encoder: for a parted result it makes another one beside the call, so that the real one is the second
 * (Anthropic, Responses), or stands behind a user's message (Chat Completions). Other apis have no rules that repair.
 */
export const ARRAY_RULES: { readonly [api in Api]?: Readonly<Record<ArrayFault, string>> } = {
  "anthropic-messages": { parted: "A-DUPRES-7", orphan: "A-PAIR-2" },
  "openai-completions": { parted: "C-PAIR-2", orphan: "C-PAIR-2" },
  "openai-responses": responses,
  "openai-codex-responses": responses,
  "azure-openai-responses": responses,
};
