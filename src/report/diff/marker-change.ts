/** Cache markers that stand at other places around the same prompt. */
import { isDeepStrictEqual } from "node:util";
import type { PathStep } from "../../lib/json-pointer.ts";
import { isObject, type JsonObject } from "../../wire/request.ts";
import type { Change } from "./change.ts";
import { holdsToolData, isMarkerEntry, isMarkerName } from "./prompt-marker.ts";
import { listLeaves } from "./setting-change.ts";

/** The first marker, in the order of the prompt, that came, went or changed; null where all stand as before. */
export function findMarkerChange(before: JsonObject, after: JsonObject): Change | null {
  const [was, is] = [listMarkers(before), listMarkers(after)];
  for (let i = 0; i < Math.max(was.length, is.length); i++) {
    const [old, now] = [was[i], is[i]];
    if (old !== undefined && now !== undefined && old.place === now.place) {
      if (isDeepStrictEqual(old.value, now.value)) continue;
      const inside = listLeaves({ m: old.value }, { m: now.value })[0]!;
      return describe(now.path, [...now.path, ...inside.path.slice(1)], inside.before, inside.after);
    }
    if (old === undefined || (now !== undefined && now.place < old.place))
      return describe(now!.path, now!.path, undefined, now!.value);
    return describe(old.path, old.path, old.value, undefined);
  }
  return null;
}

interface Marker {
  /** How many prompt values begin in front of it: the same in both bodies where their prompts are equal. */
  readonly place: number;
  readonly path: readonly PathStep[];
  readonly value: unknown;
}

function describe(at: readonly PathStep[], path: readonly PathStep[], before: unknown, after: unknown): Change {
  const listed = at.findIndex((step) => typeof step === "number");
  return {
    cause: "cache_marker_only",
    weight: "marker",
    path,
    unit: at.slice(0, Math.max(1, listed + 1)),
    before,
    after,
  };
}

/** Members that hold prompt, in the order in which providers read them. */
const PROMPT_MEMBERS = ["toolConfig", "tools", "system", "instructions", "messages", "input"];

function listMarkers(body: JsonObject): readonly Marker[] {
  const markers: Marker[] = [];
  let begun = 0;
  const visit = (value: unknown, path: readonly PathStep[]): void => {
    begun += 1;
    if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) {
        if (isMarkerEntry(entry)) markers.push({ place: begun, path: [...path, index], value: entry });
        else visit(entry, [...path, index]);
      }
    }
    if (!isObject(value)) return;
    const place = begun;
    for (const [name, member] of Object.entries(value)) {
      if (isMarkerName(name)) markers.push({ place, path: [...path, name], value: member });
      else if (!holdsToolData(name)) visit(member, [...path, name]);
    }
  };
  for (const name of PROMPT_MEMBERS) if (Object.hasOwn(body, name)) visit(body[name], [name]);
  for (const name of Object.keys(body).filter(isMarkerName))
    markers.push({ place: begun + 1, path: [name], value: body[name] });
  return markers;
}
