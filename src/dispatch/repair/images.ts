/** Repairs of what is said about an image; its bytes stay as they are. */
import type { WireRequest } from "../../wire/request.ts";
import type { MediaTypeFault } from "../detect/images.ts";
import type { EditDraft } from "../rule.ts";

export function nameMediaTypes(_request: WireRequest, faults: readonly MediaTypeFault[]): EditDraft[] {
  return faults.map(({ path, mediaType }) => ({ op: "replace", path, value: mediaType }));
}
