/** Two histories of the same words and windows: only their order, grouping, markers or spelling can differ. */
import { type Block, isObject, type Row } from "../wire/request.ts";
import { sharedWord } from "./compare-words.ts";
import { divergence, type PlaceKind } from "./divergence.ts";
import { blockDigests } from "./prefix-chain.ts";
import type { SoftClass } from "./soft-class.ts";
import type { Divergence } from "./verdict.ts";
import { plainId } from "./window.ts";

interface Token {
  readonly kind: PlaceKind;
  readonly what: string;
  readonly path: string;
}

/** Rows as the api writes them. */
export function compareSpelling(prepared: readonly Row[], observed: readonly Row[]): Divergence | null {
  const flat = (rows: readonly Row[]) => rows.flatMap((row) => row.blocks.map((_, index) => wireToken(row, index)));
  const [before, after] = [flat(prepared), flat(observed)];
  if (before.length === after.length) {
    const moved = firstDifference(before, after);
    if (moved !== null) return moved;
  }
  const name = spelling(prepared, observed);
  return name === null ? null : divergence(name, observed[0]?.path ?? "", "none", "none");
}

function spelling(prepared: readonly Row[], observed: readonly Row[]): SoftClass | null {
  if (prepared.length !== observed.length) return "rows_merged";
  if (prepared.some((row, index) => row.form !== observed[index]!.form)) return "string_or_blocks";
  return prepared.some((row, index) => markers(row) !== markers(observed[index]!)) ? "cache_marker" : null;
}

/** Rows of a host's own array: only what they have in common with those at the socket has an order. */
export function compareOrder(prepared: readonly Row[], observed: readonly Row[]): Divergence | null {
  const hasIds = !observed.some((row) => row.blocks.some((block) => block.kind === "call" && block.id === block.name));
  const tokens = (rows: readonly Row[]) => rows.flatMap((row) => hostTokens(row, hasIds));
  return firstDifference(tokens(prepared), tokens(observed));
}

function firstDifference(before: readonly Token[], after: readonly Token[]): Divergence | null {
  for (const [at, token] of before.entries()) {
    const other = after[at];
    // A host's note becomes a sentence of the user.
    if (other?.what === token.what || (token.kind === "note" && other?.kind === "user")) continue;
    return divergence("row_moved", other?.path ?? token.path, token.kind, other?.kind ?? "none");
  }
  return null;
}

function wireToken(row: Row, index: number): Token {
  const block = row.blocks[index]!;
  return pairToken(block) ?? { kind: kindOf(row.role), what: blockDigests(row)[index]!, path: block.path };
}

/** @param hasIds false where the api writes none */
function hostTokens(row: Row, hasIds: boolean): readonly Token[] {
  return row.blocks.flatMap((block): Token[] => {
    const pair = pairToken(block, hasIds);
    if (pair !== null) return [pair];
    const word = sharedWord(row, block);
    return word === null
      ? []
      : [{ kind: word.kind === "note" ? "note" : kindOf(row.role), what: word.digest, path: word.path }];
  });
}

/** Ids are compared as windows compare them. */
function pairToken(block: Block, hasIds = true): Token | null {
  const { kind, path } = block;
  if (kind === "call") return { kind, what: hasIds ? `call ${plainId(block.id)}` : kind, path };
  return kind === "result" ? { kind, what: hasIds ? `result ${plainId(block.callId)}` : kind, path } : null;
}

function kindOf(role: Row["role"]): PlaceKind {
  return role === "user" || role === "assistant" || role === "system" ? role : "none";
}

function markers(row: Row): string {
  return row.blocks.map(({ value }) => (isObject(value) && "cache_control" in value ? "1" : "0")).join("");
}
