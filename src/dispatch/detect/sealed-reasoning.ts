/** Faults of sealed reasoning items that only the earlier exchanges of the session show. */
import type { Row, WireRequest } from "../../wire/request.ts";
import type { JudgeContext } from "../rule.ts";
import type { Issuer } from "../thinking-memory.ts";
import type { ItemFault } from "./items-responses.ts";
import { perRow } from "./per-row.ts";
import { isReasoning } from "./reasoning-responses.ts";

const sealedRows = perRow((row): Row[] => {
  const [block] = row.blocks;
  return isReasoning(row) && block?.kind === "thinking" && (block.seal ?? "") !== "" ? [row] : [];
});

/** Reasoning that another endpoint sealed: no other one can open it. */
export function foreignReasoning(request: WireRequest, context: JudgeContext): ItemFault[] {
  const { memory, issuer, namespace = "", rejectedAt } = context;
  const sealed = sealedRows(request);
  const foreign = sealed.flatMap((row): ItemFault[] => {
    const known = issuerOfRow(row, memory)?.name;
    if (known === undefined || known === issuer) return [];
    return [{ path: row.path, message: `the reasoning item was sealed by ${known}, not by ${issuer}`, row }];
  });
  if (foreign.length > 0 || rejectedAt === undefined) return foreign;
  // The endpoint names one item, but all that came from elsewhere, or that nobody remembers, is as foreign as that one.
  const strange = sealed.filter((row) => {
    const known = issuerOfRow(row, memory);
    return known?.namespace !== namespace || known?.model !== request.model;
  });
  const message = "the endpoint cannot open this reasoning item";
  return (strange.length > 0 ? strange : sealed).map((row) => ({ path: row.path, message, row }));
}

function issuerOfRow(row: Row, memory: JudgeContext["memory"]): Issuer | undefined {
  const [block] = row.blocks;
  return block?.kind === "thinking" ? memory?.issuerOf(block) : undefined;
}

/** Items with their own id whose reasoning item was filtered away. */
export function missingReasoning(request: WireRequest, { memory }: JudgeContext): ItemFault[] {
  if (memory === null || request.anchor !== null) return [];
  const named = namedRows(request);
  const present = new Set(named.map(({ id }) => id));
  return named.flatMap(({ id, row }): ItemFault[] => {
    const reasoning = memory.reasoningFor(id);
    if (reasoning === undefined || present.has(reasoning)) return [];
    const message = `the item ${id} came with the reasoning item ${reasoning}, which is missing`;
    return [{ path: `${row.path}/id`, message, row }];
  });
}

const namedRows = perRow((row) => (typeof row.value.id === "string" ? [{ id: row.value.id, row }] : []));
