/** The places of a request that take no part in the judgement of pairs, each api by its own pairing. */
import type { WireRequest } from "../wire/request.ts";
import { pairingOf } from "./pairing.ts";
import { chatPairingOf } from "./pairing-chat.ts";
import { itemPairingOf } from "./pairing-responses.ts";

export function unjudgedPaths(request: WireRequest): readonly string[] {
  switch (request.api) {
    case "openai-completions":
      return chatPairingOf(request).unjudged;
    case "openai-responses":
    case "openai-codex-responses":
    case "azure-openai-responses":
      return itemPairingOf(request).unjudged;
    default:
      return pairingOf(request).unjudged;
  }
}
