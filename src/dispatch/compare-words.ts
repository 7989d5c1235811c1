/** What two histories hold beside their tool-call windows: words, pictures, reasoning, and results without a call. */
import type { Block, Row } from "../wire/request.ts";
import { divergence, type PlaceKind } from "./divergence.ts";
import { blockDigests } from "./prefix-chain.ts";
import type { SoftClass } from "./soft-class.ts";
import type { Divergence } from "./verdict.ts";
import { contentText, strayResultsOf } from "./window.ts";

export interface Word {
  readonly path: string;
  readonly role: Row["role"];
  readonly kind: string;
  readonly digest: string;
  readonly text: string | null;
}

export interface Words {
  /** Compared one by one. */
  readonly words: readonly Word[];
  /** What the model thought, and what the system said: each api writes and places them in a way of its own. */
  readonly reasoning: readonly Word[];
  readonly system: readonly Word[];
}

/** Rows as the api writes them: every block has its word. */
export function wireWords(rows: readonly Row[]): Words {
  const words = rows.flatMap((row) => {
    const digests = blockDigests(row);
    return row.blocks.flatMap((block, index): Word[] => {
      if (block.kind === "call" || block.kind === "result") return [];
      const text = block.kind === "text" ? block.text : null;
      return [{ path: block.path, role: row.role, kind: block.kind, digest: digests[index]!, text }];
    });
  });
  return { words: [...words, ...strayWords(rows)], reasoning: [], system: [] };
}

/** Words and pictures of user and model, in the form that all apis share. */
export function hostWords(rows: readonly Row[]): Words {
  return {
    words: [...rows.flatMap(sharedWordsOf), ...strayWords(rows)],
    reasoning: rows.flatMap((row) => textsOf(row, "thinking")),
    system: rows.flatMap((row) => (row.role === "system" ? textsOf(row, "text") : [])),
  };
}

function sharedWordsOf(row: Row): readonly Word[] {
  return row.blocks.flatMap((block) => sharedWord(row, block) ?? []);
}

/** A block that user or model said; null for another one, and for one that says nothing. */
export function sharedWord({ role }: Row, block: Block): Word | null {
  if (role !== "user" && role !== "assistant") return null;
  const { kind, path } = block;
  if (kind === "media") return { path, role, kind, digest: kind, text: null };
  const text = kind === "text" ? block.text : kind === "note" ? block.value : null;
  if (typeof text !== "string" || text.trim() === "") return null;
  return { path, role, kind, digest: kind === "note" ? `note ${path}` : text, text };
}

function textsOf({ role, blocks }: Row, wanted: "text" | "thinking"): Word[] {
  return blocks.flatMap((block): Word[] => {
    if (block.kind !== wanted || block.text.trim() === "") return [];
    return [{ path: block.path, role, kind: block.kind, digest: block.text, text: block.text }];
  });
}

/** Results that answer no call in front of them. */
function strayWords(rows: readonly Row[]): Word[] {
  return strayResultsOf(rows).map(({ path, value }): Word => {
    const text = contentText(value);
    return { path, role: "tool", kind: "result", digest: `result ${text}`, text };
  });
}

/** Looking for words in one another reads this many characters, about a fifth of a second: the work of one turn needs an end. */
const CHARACTERS_READ_MAX = 20_000_000;

export function compareWords(prepared: Words, observed: Words): Divergence[] {
  const missing = minus(prepared.words, observed.words);
  const extra = minus(observed.words, prepared.words);
  const thoughts = unsaid(prepared.reasoning, observed.reasoning);
  if (isTooMuch([...missing, ...thoughts], extra)) {
    return [...[...missing, ...thoughts].map(lossOf), ...extra.map(gainOf)];
  }
  const rest = new Extra(extra, observed.system);
  const found = missing.flatMap((word) => rest.explain(word));
  const rewritten = thoughts.map((word) => rest.explainThought(word));
  return [...found, ...rewritten, ...rest.left.map(gainOf)];
}

function isTooMuch(some: readonly Word[], others: readonly Word[]): boolean {
  return some.length * lengthOf(others) + others.length * lengthOf(some) > CHARACTERS_READ_MAX;
}

/** A word without a text costs a look, too. */
function lengthOf(words: readonly Word[]): number {
  return words.reduce((sum, { text }) => sum + 1 + (text?.length ?? 0), 0);
}

/** Words at the socket that nobody prepared; each explains one that is missing, or more where several were joined. */
class Extra {
  readonly left: Word[];
  readonly #joined: Word[] = [];
  readonly #system: Word[];

  constructor(extra: readonly Word[], system: readonly Word[]) {
    this.left = [...extra];
    this.#system = [...system];
  }

  explain(word: Word): Divergence[] {
    const taken = take(this.left, (other) => rewriting(word, other) !== null);
    // A text that several words were joined into is found by each of them.
    const other = taken ?? this.#joined.find((one) => rewriting(word, one) === "rows_merged");
    if (other === undefined) return [this.#asSystem(word) ?? this.#lost(word)];
    const name = rewriting(word, other)!;
    if (taken !== undefined && (name === "rows_merged" || word.kind === "note")) this.#joined.push(taken);
    // What a host keeps as a note of its own is written into a sentence of its encoder.
    return word.kind === "note" ? [] : [divergence(name, other.path, kindOf(word), kindOf(other))];
  }

  /** Reasoning that another model, or none, has signed goes out as words of the answer, or not at all. */
  explainThought(word: Word): Divergence {
    const holds = (other: Word) => other.role === "assistant" && other.text?.includes(word.text!) === true;
    const other = take(this.left, holds) ?? this.#joined.find(holds);
    return divergence("foreign_reply_rewritten", other?.path ?? word.path, "thinking", other ? "assistant" : "none");
  }

  #asSystem(word: Word): Divergence | null {
    const other = take(this.#system, ({ text }) => text === word.text);
    return other === undefined ? null : divergence("system_placement", other.path, kindOf(word), "system");
  }

  #lost(word: Word): Divergence {
    // Where a picture was, hosts often put a few words about it.
    if (word.kind === "media") take(this.left, ({ role, kind }) => role === word.role && kind === "text");
    return lossOf(word);
  }
}

function take<T>(list: T[], wanted: (one: T) => boolean): T | undefined {
  const at = list.findIndex(wanted);
  return at === -1 ? undefined : list.splice(at, 1)[0];
}

/** Under which name one text became another; null where they have nothing in common. */
function rewriting(word: Word, other: Word): SoftClass | null {
  if (word.text === null || other.text === null)
    return word.kind === other.kind && word.kind === "media" ? "image_trimmed" : null;
  if (word.kind !== "result" && word.text === other.text) return "system_placement";
  if (wellFormed(word.text).includes(other.text)) return "well_formed";
  if (bare(word.text) === bare(other.text)) return "whitespace";
  return other.text.includes(word.text) ? "rows_merged" : null;
}

/** Without what has no UTF-8, and no place in some databases: replaced by one host, removed by another. */
function wellFormed(text: string): readonly string[] {
  return [text.toWellFormed(), text.replaceAll(/\p{Surrogate}/gu, "")].map((clean) => clean.replaceAll("\0", ""));
}

function lossOf(word: Word): Divergence {
  return divergence(
    LOSSES[word.kind] ?? (word.role === "system" ? "system_placement" : "row_missing"),
    word.path,
    kindOf(word),
    "none",
  );
}

const LOSSES: Readonly<Record<string, SoftClass>> = {
  media: "image_trimmed",
  thinking: "foreign_reply_rewritten",
  result: "pair_dropped",
};

function gainOf(word: Word): Divergence {
  return divergence(word.role === "system" ? "system_placement" : "row_extra", word.path, "none", kindOf(word));
}

function kindOf({ kind, role }: Word): PlaceKind {
  if (kind === "media" || kind === "thinking" || kind === "note" || kind === "result") return kind;
  return role === "user" || role === "assistant" || role === "system" ? role : "none";
}

/** Reasoning whose words no reasoning at the socket has, not even a longer one; white space is each api's own. */
function unsaid(prepared: readonly Word[], observed: readonly Word[]): Word[] {
  const same = new Set(observed.map(({ text }) => text));
  const missing = prepared.filter(({ text }) => !same.has(text));
  if (missing.length === 0 || isTooMuch(missing, observed)) return missing;
  const said = observed.map(({ text }) => bare(text!));
  return missing.filter(({ text }) => !said.some((other) => other.includes(bare(text!))));
}

function bare(text: string): string {
  return text.replaceAll(/\s+/g, "");
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
