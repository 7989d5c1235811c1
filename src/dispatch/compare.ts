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

/**
 * `wire`: rows as the api writes them. `host`: rows of an agent's own array, block for block. What its encoder adds to
 * each request (system rows, markers, grouping, the form of reasoning) is then nothing that was prepared.
 */
export type PreparedForm = "wire" | "host";

export function compareHistories(
  prepared: readonly Row[],
  observed: readonly Row[],
  form: PreparedForm = "wire",
): readonly Divergence[] {
  if (prepared.length + observed.length > ROWS_COMPARED_MAX) {
    return [{ class: "unmodelled", path: "", count: 1 }];
  }
  const wordsOf = form === "wire" ? wireWords : hostWords;
  const words = compareWords(wordsOf(prepared), wordsOf(observed));
  const windows = compareWindows(windowsOf(prepared), windowsOf(observed));
  const found = [...windows, ...words];
  if (found.length > 0) return summed(found);
  const moved = form === "wire" ? spelling(prepared, observed) : order(prepared, observed);
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
function wireWords(rows: readonly Row[]): Word[] {
  return rows.flatMap((row) => {
    const digests = blockDigests(row);
    return row.blocks.flatMap((block, index): Word[] => {
      if (block.kind === "call" || block.kind === "result") return [];
      const text = block.kind === "text" ? block.text : null;
      return [{ path: block.path, role: row.role, kind: block.kind, digest: digests[index]!, text }];
    });
  });
}

/** Words and pictures of user and model, in the form that all apis share. */
function hostWords(rows: readonly Row[]): Word[] {
  return rows.flatMap(sharedWordsOf);
}

function sharedWordsOf(row: Row): readonly Word[] {
  const { role } = row;
  if (role !== "user" && role !== "assistant") return [];
  return row.blocks.flatMap((block): Word[] => {
    const { kind, path } = block;
    if (kind === "media") return [{ path, role, kind, digest: kind, text: null }];
    const text = kind === "text" ? block.text : kind === "note" ? block.value : null;
    if (typeof text !== "string" || text.trim() === "") return [];
    return [{ path, role, kind, digest: kind === "note" ? `note ${path}` : text, text }];
  });
}

/** Beyond this many pairs no word is looked for in another: the work of one turn needs an end. */
const PAIRS_MAX = 250_000;

function compareWords(prepared: readonly Word[], observed: readonly Word[]): Divergence[] {
  const missing = minus(prepared, observed);
  const extra = minus(observed, prepared);
  if (missing.length * extra.length > PAIRS_MAX) {
    return [
      ...missing.map((word) => one(lossOf(word), word.path)),
      ...extra.map((word) => one("row_extra", word.path)),
    ];
  }
  const found: Divergence[] = [];
  const joined: Word[] = [];
  for (const word of missing) {
    const at = extra.findIndex((other) => rewriting(word, other) !== null);
    const [taken] = at === -1 ? [] : extra.splice(at, 1);
    // A text that several words were joined into is found by each of them.
    const other = taken ?? joined.find((one) => rewriting(word, one) === "rows_merged");
    // What a host keeps as a note of its own is written into a sentence of its encoder.
    if (word.kind === "note" && other !== undefined) continue;
    const name = other === undefined ? lossOf(word) : rewriting(word, other)!;
    if (taken !== undefined && name === "rows_merged") joined.push(taken);
    found.push(one(name, other?.path ?? word.path));
  }
  return [...found, ...extra.map((word) => one(word.role === "system" ? "system_placement" : "row_extra", word.path))];
}

/** Under which name one text became another; null where they have nothing in common. */
function rewriting(word: Word, other: Word): SoftClass | null {
  if (word.text === null || other.text === null)
    return word.kind === other.kind && word.kind === "media" ? "image_trimmed" : null;
  if (word.text === other.text) return "system_placement";
  if (wellFormed(word.text).includes(other.text)) return "well_formed";
  if (word.text.replaceAll(/\s+/g, "") === other.text.replaceAll(/\s+/g, "")) return "whitespace";
  return other.text.includes(word.text) ? "rows_merged" : null;
}

/** Without what has no UTF-8, and no place in some databases: replaced by one host, removed by another. */
function wellFormed(text: string): readonly string[] {
  return [text.toWellFormed(), text.replaceAll(/\p{Surrogate}/gu, "")].map((clean) => clean.replaceAll("\0", ""));
}

function lossOf(word: Word): SoftClass {
  if (word.kind === "media") return "image_trimmed";
  if (word.kind === "thinking") return "foreign_reply_rewritten";
  return word.role === "system" ? "system_placement" : "row_missing";
}

/** Words of `from` that `of` does not have, each as often as it is missing. */
function minus(from: readonly Word[], of: readonly Word[]): Word[] {
  const left = new Map([...Map.groupBy(of, ({ role }) => role)].map(([role, words]) => [role, countsOf(words)]));
  return from.filter(({ role, digest }) => {
    const count = left.get(role)?.get(digest) ?? 0;
    left.get(role)?.set(digest, count - 1);
    return count <= 0;
  });
}

function countsOf(words: readonly Word[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { digest } of words) counts.set(digest, (counts.get(digest) ?? 0) + 1);
  return counts;
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
  const changed = call.results.filter(
    // A result without words gets some from most hosts: nothing is lost by that.
    ({ text, characters }) => characters > 0 && !other.results.some((result) => result.text === text),
  );
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

/** The order of the words, and of the calls: what stands between them is the encoder's. */
function order(prepared: readonly Row[], observed: readonly Row[]): SoftClass | null {
  const [before, after] = [hostWords(prepared), hostWords(observed)];
  const sameWords = before.every(({ role, digest, kind }, at) => {
    const other = after[at];
    return kind === "note" || (other?.role === role && other.digest === digest);
  });
  const [called, sent] = [callIds(prepared), callIds(observed)];
  return sameWords && called.every((id, at) => id === sent[at]) ? null : "row_moved";
}

function callIds(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => row.blocks.flatMap((block) => (block.kind === "call" ? [plainId(block.id)] : [])));
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
