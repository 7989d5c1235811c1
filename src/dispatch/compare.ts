/**
 * What a host meant to send against what is at the socket. It only names differences (DG-2): none of them is ever a
 * reason to hold a turn back, and an order is not observable (DG-50).
 */
import { type Block, isObject, type Row } from "../wire/request.ts";
import { blockDigests } from "./prefix-chain.ts";
import type { SoftClass } from "./soft-class.ts";
import type { Divergence } from "./verdict.ts";
import { plainId, type ToolWindow, type WindowCall, windowsOf } from "./window.ts";

/** Rows beyond this are not compared: the work of one turn needs an end. */
const ROWS_COMPARED_MAX = 20_000;

export function compareHistories(prepared: readonly Row[], observed: readonly Row[]): readonly Divergence[] {
  if (prepared.length + observed.length > ROWS_COMPARED_MAX) {
    return [{ class: "unmodelled", path: "", count: 1 }];
  }
  const words = compareWords(wordsOf(prepared), wordsOf(observed));
  const windows = compareWindows(windowsOf(prepared), windowsOf(observed));
  const found = [...windows, ...words];
  if (found.length > 0) return summed(found);
  const moved = spelling(prepared, observed);
  return moved === null ? [] : [{ class: moved, path: observed[0]?.path ?? "", count: 1 }];
}

interface Word {
  readonly path: string;
  readonly role: Row["role"];
  readonly kind: string;
  readonly digest: string;
  readonly text: string | null;
}

/** Everything that is no call and no result. */
function wordsOf(rows: readonly Row[]): Word[] {
  return rows.flatMap((row) => {
    const digests = blockDigests(row);
    return row.blocks.flatMap((block, index): Word[] => {
      if (block.kind === "call" || block.kind === "result") return [];
      const text = block.kind === "text" ? block.text : null;
      return [{ path: block.path, role: row.role, kind: block.kind, digest: digests[index]!, text }];
    });
  });
}

function compareWords(prepared: readonly Word[], observed: readonly Word[]): Divergence[] {
  const missing = minus(prepared, observed);
  const extra = minus(observed, prepared);
  const found: Divergence[] = [];
  for (const word of missing) {
    const at = extra.findIndex((other) => rewriting(word, other) !== null);
    const [other] = at === -1 ? [] : extra.splice(at, 1);
    found.push({
      class: other === undefined ? lossOf(word) : rewriting(word, other)!,
      path: other?.path ?? word.path,
      count: 1,
    });
  }
  return [...found, ...extra.map((word) => one(word.role === "system" ? "system_placement" : "row_extra", word.path))];
}

/** Under which name one text became another; null where they have nothing in common. */
function rewriting(word: Word, other: Word): SoftClass | null {
  if (word.text === null || other.text === null)
    return word.kind === other.kind && word.kind === "media" ? "image_trimmed" : null;
  if (word.text === other.text) return "system_placement";
  if (word.text.toWellFormed().replaceAll("\0", "") === other.text) return "well_formed";
  if (word.text.replaceAll(/\s+/g, "") === other.text.replaceAll(/\s+/g, "")) return "whitespace";
  return other.text.includes(word.text) ? "rows_merged" : null;
}

function lossOf(word: Word): SoftClass {
  if (word.kind === "media") return "image_trimmed";
  if (word.kind === "thinking") return "foreign_reply_rewritten";
  return word.role === "system" ? "system_placement" : "row_missing";
}

/** Words of `from` that `of` does not have, each as often as it is missing. */
function minus(from: readonly Word[], of: readonly Word[]): Word[] {
  const counts = new Map<string, number>();
  for (const { role, digest } of of) counts.set(`${role} ${digest}`, (counts.get(`${role} ${digest}`) ?? 0) + 1);
  return from.filter(({ role, digest }) => {
    const left = counts.get(`${role} ${digest}`) ?? 0;
    counts.set(`${role} ${digest}`, left - 1);
    return left <= 0;
  });
}

function compareWindows(prepared: readonly ToolWindow[], observed: readonly ToolWindow[]): Divergence[] {
  const meant = placedCalls(prepared);
  const sent = placedCalls(observed);
  const found: Divergence[] = [];
  // Exact matches first, so that a call that is gone takes no other call's place.
  for (const same of MATCHES) {
    for (const placed of [...meant]) {
      const other = sent.find((candidate) => same(placed.call, candidate.call));
      if (other === undefined) continue;
      meant.splice(meant.indexOf(placed), 1);
      sent.splice(sent.indexOf(other), 1);
      found.push(...callDifferences(placed.call, other.call, other.path));
    }
  }
  const dropped = meant.map(({ path }) => one("pair_dropped", path));
  return [...found, ...dropped, ...sent.map(({ path }) => one("row_extra", path))];
}

function placedCalls(windows: readonly ToolWindow[]): { call: WindowCall; path: string }[] {
  return windows.flatMap((window) => window.calls.map((call) => ({ call, path: window.path })));
}

const MATCHES: readonly ((call: WindowCall, other: WindowCall) => boolean)[] = [
  (call, other) => call.id === other.id && call.what === other.what,
  (call, other) => call.id === other.id,
  (call, other) => call.what === other.what,
];

function callDifferences(call: WindowCall, other: WindowCall, path: string): Divergence[] {
  if (call.what !== other.what) return [one("unmodelled", path)];
  const found = call.id === other.id ? [] : [one("id_renamed", path)];
  if (call.results.length === 0 && other.results.length > 0) return [...found, one("result_synthesised", path)];
  if (other.results.length < call.results.length) return [...found, one("pair_dropped", path)];
  const changed = call.results.filter(({ digest }) => !other.results.some((result) => result.digest === digest));
  return changed.length === 0 ? found : [...found, { class: "result_content_changed", path, count: changed.length }];
}

/** Same words and windows: only their order, grouping, markers or spelling can differ. */
function spelling(prepared: readonly Row[], observed: readonly Row[]): SoftClass | null {
  const flat = (rows: readonly Row[]) =>
    rows.flatMap((row) => row.blocks.map((block, index) => tokenOf(row, block, index)));
  const [before, after] = [flat(prepared), flat(observed)];
  if (before.length === after.length && before.some((token, index) => token !== after[index])) return "row_moved";
  if (prepared.length !== observed.length) return "rows_merged";
  if (prepared.some((row, index) => row.form !== observed[index]!.form)) return "string_or_blocks";
  return prepared.some((row, index) => markers(row) !== markers(observed[index]!)) ? "cache_marker" : null;
}

/** Ids are compared as windows compare them. */
function tokenOf(row: Row, block: Block, index: number): string {
  if (block.kind === "call") return `call ${plainId(block.id)}`;
  if (block.kind === "result") return `result ${plainId(block.callId)}`;
  return `${row.role} ${blockDigests(row)[index]}`;
}

function markers(row: Row): string {
  return row.blocks.map(({ value }) => (isObject(value) && "cache_control" in value ? "1" : "0")).join("");
}

function one(name: SoftClass, path: string): Divergence {
  return { class: name, path, count: 1 };
}

function summed(found: readonly Divergence[]): Divergence[] {
  const byClass = new Map<SoftClass, Divergence>();
  for (const next of found) {
    const before = byClass.get(next.class);
    byClass.set(next.class, before === undefined ? next : { ...before, count: before.count + next.count });
  }
  return [...byClass.values()];
}

/** How much of the results' text was lost: the harm that a comparison of shapes does not see (DG-31). */
export function lostCharacters(
  prepared: readonly Row[],
  observed: readonly Row[],
): { results: number; characters: number } {
  const after = windowsOf(observed).flatMap((window) => window.calls);
  let [results, characters] = [0, 0];
  for (const call of windowsOf(prepared).flatMap((window) => window.calls)) {
    const other = after.find(({ id, what }) => id === call.id && what === call.what);
    const before = call.results.reduce((sum, result) => sum + result.characters, 0);
    const left = other?.results.reduce((sum, result) => sum + result.characters, 0) ?? 0;
    if (left >= before) continue;
    results += 1;
    characters += before - left;
  }
  return { results, characters };
}
