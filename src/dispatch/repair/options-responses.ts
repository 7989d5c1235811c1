import type { WireRequest } from "../../wire/request.ts";
import type { EditDraft, Fault } from "../rule.ts";

export function switchStoreOff({ body }: WireRequest): EditDraft[] {
  return [{ op: "store" in body ? "replace" : "insert", path: "/store", value: false }];
}

/** The newer name of the same role. */
export function renameToDeveloper(_request: WireRequest, faults: readonly Fault[]): EditDraft[] {
  return faults.map(({ path }) => ({ op: "replace", path, value: "developer" }));
}
