/** Cache markers: how many, and which time to live may follow which. */
import { isObject, type JsonObject, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { perObject, perRow } from "./per-row.ts";

/** The provider takes four over tools, system and messages together. */
const MARKERS_MAX = 4;

export interface MarkerFault extends Fault {
  readonly markers: readonly Marker[];
}

export interface Marker {
  /** JSON pointer of the `cache_control` member. */
  readonly path: string;
  readonly part: "tools" | "system" | "messages";
  readonly ttl: string;
}

export function tooManyMarkers(request: WireRequest): MarkerFault[] {
  const markers = markersOf(request);
  if (markers.length <= MARKERS_MAX) return [];
  const surplus = markers.length - MARKERS_MAX;
  // The oldest markers of the history serve nobody any more; those of tools and system are the last to go.
  const dispensable = [
    ...markers.filter(({ part }) => part === "messages"),
    ...markers.filter(({ part }) => part !== "messages"),
  ];
  const first = markers[MARKERS_MAX]!;
  return [
    {
      path: first.path,
      message: `${markers.length} cache markers; at most ${MARKERS_MAX} are taken`,
      markers: dispensable.slice(0, surplus),
    },
  ];
}

/** A marker of one hour behind one of five minutes, in the order tools, system, messages. */
export function risingTtls(request: WireRequest): MarkerFault[] {
  let short = false;
  const late: Marker[] = [];
  for (const marker of markersOf(request)) {
    if (marker.ttl === "1h" && short) late.push(marker);
    if (marker.ttl !== "1h") short = true;
  }
  if (late.length === 0) return [];
  return [{ path: `${late[0]!.path}/ttl`, message: "a cache marker of 1h stands behind one of 5m", markers: late }];
}

/** Markers where the docs of other programs say that they are refused; the provider's own words are not known. */
export const doubtfulMarkers = perRow((row) =>
  row.blocks.flatMap((block): Fault[] => {
    const doubtful = block.kind === "thinking" || (block.kind === "note" && block.type !== "compaction");
    if (!doubtful || !isObject(block.value) || !isObject(block.value.cache_control)) return [];
    return [{ path: `${block.path}/cache_control`, message: "a cache marker on a block that may not carry one" }];
  }),
);

function markersOf(request: WireRequest): Marker[] {
  return [...toolMarkers(request.body.tools), ...systemMarkers(request.body.system), ...rowMarkers(request)];
}

const toolMarkers = perObject((tools) => markersIn(tools, "/tools", "tools"));
const systemMarkers = perObject((system) => markersIn(system, "/system", "system"));
const rowMarkers = perRow((row) => markersIn(row.value, row.path, "messages"));

function markersIn(value: unknown, path: string, part: Marker["part"]): Marker[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => markersIn(item, `${path}/${index}`, part));
  if (!isObject(value)) return [];
  const inner = markersIn(value.content, `${path}/content`, part);
  const marker = value.cache_control;
  return isObject(marker) ? [...inner, { path: `${path}/cache_control`, part, ttl: ttlOf(marker) }] : inner;
}

function ttlOf(marker: JsonObject): string {
  return typeof marker.ttl === "string" ? marker.ttl : "5m";
}
