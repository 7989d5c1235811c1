/** Faults of sealed reasoning items that only the earlier exchanges of the session show. */
import type { Row, WireRequest } from "../../wire/request.ts";
import type { JudgeContext } from "../rule.ts";
import type { ItemFault } from "./items-responses.ts";
import { perRow } from "./per-row.ts";
import { isReasoning } from "./reasoning-responses.ts";

const sealedRows = perRow((row): Row[] => {
  const [block] = row.blocks;
  return isReasoning(row) && block?.kind === "thinking" && (block.seal ?? "") !== "" ? [row] : [];
});

/** Reasoning that another endpoint sealed: no other one can open it. */
export function foreignReasoning(request: WireRequest, context: JudgeContext): ItemFault[] {
  const { memory, issuer, rejectedAt } = context;
  const sealed = sealedRows(request);
  const foreign = sealed.flatMap((row): ItemFault[] => {
    const known = issuerOfRow(row, memory);
    if (known === undefined || known === issuer) return [];
    return [{ path: row.path, message: `the reasoning item was sealed by ${known}, not by ${issuer}`, row }];
  });
  if (foreign.length > 0 || rejectedAt === undefined) return foreign;
  // After a restart only the endpoint knows. It names an item, but all that nobody remembers is as foreign as that one.
  return sealed
    .filter((row) => issuerOfRow(row, memory) === undefined)
    .map((row) => ({ path: row.path, message: "the endpoint cannot open this reasoning item", row }));
}

function issuerOfRow(row: Row, memory: JudgeContext["memory"]): string | undefined {
  const [block] = row.blocks;
  return block?.kind === "thinking" ? memory?.get(block)?.issuer : undefined;
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
