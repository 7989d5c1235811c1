/** Ids and names that the api does not take. */
import { isObject, listOf, stringOf, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { perObject, perRow } from "./per-row.ts";

export interface IdFault extends Fault {
  readonly id: string;
}

export interface NameFault extends Fault {
  /** Path of the empty name of a call; null for a fault in the tool list, which belongs to plan time. */
  readonly emptyName: string | null;
}

/** Call ids outside the pattern, each id once. */
export function foreignIds(request: WireRequest): IdFault[] {
  return [
    ...new Map(
      foreignIdsOfRows(request)
        .toReversed()
        .map((fault) => [fault.id, fault]),
    ).values(),
  ].toReversed();
}

const foreignIdsOfRows = perRow((row) =>
  row.blocks.flatMap((block): IdFault[] => {
    if (block.kind !== "call" || block.id === "" || /^[a-zA-Z0-9_-]+$/.test(block.id)) return [];
    const message = `the id '${block.id.slice(0, 80)}' holds characters other than a-z, A-Z, 0-9, _ and -`;
    return [{ path: `${block.path}/id`, message, id: block.id }];
  }),
);

/** Newer models take 128 characters, older ones 64: what lies between is left to the provider. */
const NAME_LENGTH_MAX = 128;

/** Names in the tool list, and calls in the history whose id or name is empty. */
export function badNames(request: WireRequest): NameFault[] {
  return [...toolListFaults(request.body.tools), ...emptyCallFaults(request)];
}

const toolListFaults = perObject((tools) => {
  const seen = new Set<string>();
  const faults: NameFault[] = [];
  for (const { name, path } of listedTools(tools)) {
    const place = { path: `${path}/name`, emptyName: null };
    if (!/^[a-zA-Z0-9_-]+$/.test(name) || name.length > NAME_LENGTH_MAX) {
      faults.push({ ...place, message: `the tool name '${name.slice(0, 80)}' does not match ^[a-zA-Z0-9_-]{1,64}$` });
    } else if (seen.has(name)) faults.push({ ...place, message: `two tools are named '${name}'` });
    seen.add(name);
  }
  return faults;
});

/** The entries of `tools` that carry a name; a server's toolset may have none. */
function listedTools(tools: object): { name: string; path: string }[] {
  return listOf(tools).flatMap((tool, index) =>
    isObject(tool) && typeof tool.name === "string" ? [{ name: tool.name, path: `/tools/${index}` }] : [],
  );
}

const emptyCallFaults = perRow((row) =>
  row.blocks.flatMap((block): NameFault[] => {
    if (block.kind !== "call") return [];
    const faults: NameFault[] = [];
    if (block.name === "") {
      faults.push({ path: `${block.path}/name`, message: "a tool call has an empty name", emptyName: block.path });
    }
    if (block.id === "")
      faults.push({ path: `${block.path}/id`, message: "a tool call has an empty id", emptyName: null });
    return faults;
  }),
);

/** References to tools that the request does not offer. */
export function unknownReferences(request: WireRequest): Fault[] {
  const references = toolReferences(request);
  if (references.length === 0) return [];
  const offered = new Set(request.tools.map((tool) => tool.name));
  return references.flatMap(({ name, path }) =>
    offered.has(name)
      ? []
      : [{ path, message: `the history refers to the tool '${name}', which this request does not offer` }],
  );
}

const toolReferences = perRow((row) =>
  row.blocks.flatMap((block) =>
    block.kind === "result" || block.kind === "server-result"
      ? referencesIn((block.value as { content?: unknown }).content, `${block.path}/content`)
      : [],
  ),
);

function referencesIn(content: unknown, path: string): { name: string; path: string }[] {
  if (Array.isArray(content)) return content.flatMap((item, index) => referencesIn(item, `${path}/${index}`));
  if (!isObject(content)) return [];
  if (content.type === "tool_reference") return [{ name: stringOf(content.tool_name), path }];
  return referencesIn(content.tool_references, `${path}/tool_references`);
}
