import type { WireRequest } from "../../wire/request.ts";
import type { EditDraft, Fault } from "../rule.ts";

/** The two roles say the same; only the newer name is unknown to the server. */
export function renameToSystem(_request: WireRequest, faults: readonly Fault[]): EditDraft[] {
  return faults.map(({ path }) => ({ op: "replace", path, value: "system" }));
}
