/** Thinking is dropped whole or left alone; it is never moved or edited (DG-23). */
import type { WireRequest } from "../../wire/request.ts";
import type { ThinkingFault } from "../detect/thinking-anthropic.ts";
import type { EditDraft } from "../rule.ts";
import { rearrange } from "./content.ts";

export function dropThinking(_request: WireRequest, faults: readonly ThinkingFault[]): EditDraft[] {
  return rearrange({ drops: faults.map(({ thinking }) => thinking) });
}

export function switchThinkingOff(): EditDraft[] {
  return [{ op: "drop", path: "/thinking" }];
}
