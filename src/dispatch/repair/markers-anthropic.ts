import type { WireRequest } from "../../wire/request.ts";
import type { MarkerFault } from "../detect/markers-anthropic.ts";
import type { EditDraft } from "../rule.ts";

export function dropMarkers(_request: WireRequest, faults: readonly MarkerFault[]): EditDraft[] {
  return faults.flatMap(({ markers }) => markers.map(({ path }): EditDraft => ({ op: "drop", path })));
}

/** The late long-lived markers become short-lived: the prefix in front of them is cached short anyway. */
export function shortenTtls(_request: WireRequest, faults: readonly MarkerFault[]): EditDraft[] {
  return faults.flatMap(({ markers }) =>
    markers.map(({ path }): EditDraft => ({ op: "replace", path: `${path}/ttl`, value: "5m" })),
  );
}
