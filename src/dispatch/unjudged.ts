/** The places of a request that take no part in the judgement of pairs, each api by its own pairing. */
import type { WireRequest } from "../wire/request.ts";
import { unknownContents } from "./detect/pairing-google.ts";
import { pairingOf } from "./pairing.ts";
import { chatPairingOf } from "./pairing-chat.ts";
import { itemPairingOf } from "./pairing-responses.ts";

export function unjudgedPaths(request: WireRequest): readonly string[] {
  switch (request.api) {
    case "openai-completions":
    case "mistral-conversations":
      return chatPairingOf(request).unjudged;
    case "openai-responses":
    case "openai-codex-responses":
    case "azure-openai-responses":
      return itemPairingOf(request).unjudged;
    case "google-generative-ai":
    case "google-vertex":
      return unknownContents(request);
    default:
      return pairingOf(request).unjudged;
  }
}
