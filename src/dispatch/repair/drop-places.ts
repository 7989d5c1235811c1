import type { WireRequest } from "../../wire/request.ts";
import type { EditDraft, Fault } from "../rule.ts";

/** What stands at the places goes. */
export function dropPlaces(_request: WireRequest, faults: readonly Fault[]): EditDraft[] {
  return faults.map(({ path }) => ({ op: "drop", path }));
}
