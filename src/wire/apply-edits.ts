/**
 * Edits become splices: for every container that loses or gains an element, the bytes between the elements that stay
 * are rewritten with the right commas, and nothing else.
 */
import { assert } from "../lib/assert.ts";
import { type JsonArrayNode, type JsonNode, type JsonObjectNode, memberNamed, nodeAt } from "../lib/json-spans.ts";
import { type Splice, splice } from "../lib/splice.ts";
import { Lifted, type RequestEdit } from "./request-edit.ts";

/** The body with all edits applied. All paths are those of `bytes`; `root` is its span tree. */
export function applyEdits(bytes: Uint8Array, root: JsonNode, edits: readonly RequestEdit[]): Uint8Array {
  return new EditedBody(bytes, root, edits).bytes();
}

interface ContainerEdits {
  /** Elements that leave: array indices, or positions of members. */
  readonly removed: Set<number>;
  /** Literals by the index they are put before. */
  readonly inserted: Map<number, (() => Uint8Array)[]>;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

class EditedBody {
  readonly #bytes: Uint8Array;
  readonly #root: JsonNode;
  readonly #containers = new Map<JsonArrayNode | JsonObjectNode, ContainerEdits>();
  readonly #replaced = new Map<JsonNode, unknown>();
  /** Elements that leave their place: edits inside them count only where the element is rendered elsewhere. */
  readonly #gone = new Set<Span>();
  readonly #rendering = new Set<Span>();
  /** Everything that is edited, in order of its start. */
  #edited: Span[] | null = null;

  constructor(bytes: Uint8Array, root: JsonNode, edits: readonly RequestEdit[]) {
    this.#bytes = bytes;
    this.#root = root;
    for (const edit of edits) {
      const from = edit.from ?? edit.path;
      if (edit.op === "replace") this.#replaced.set(this.#node(edit.path), edit.value);
      if (edit.op === "drop" || edit.op === "move") this.#remove(from);
      if (edit.op === "insert") this.#insert(edit.path, () => this.#literal(edit.value));
      if (edit.op === "move") this.#insert(edit.path, () => this.#rendered(this.#node(from)));
    }
  }

  bytes(): Uint8Array {
    return splice(this.#bytes, this.#splicesWithin({ start: 0, end: this.#bytes.length }));
  }

  #node(path: string): JsonNode {
    const node = nodeAt(this.#root, path);
    assert(node !== undefined, `an edit names ${path}, which is not in the body`);
    return node;
  }

  #place(path: string): { container: JsonArrayNode | JsonObjectNode; step: string } {
    const cut = path.lastIndexOf("/");
    const container = this.#node(path.slice(0, cut));
    assert(container.kind === "array" || container.kind === "object", `${path} is not in an array or object`);
    return {
      container,
      step: path
        .slice(cut + 1)
        .replaceAll("~1", "/")
        .replaceAll("~0", "~"),
    };
  }

  #change(container: JsonArrayNode | JsonObjectNode): ContainerEdits {
    const known = this.#containers.get(container);
    if (known !== undefined) return known;
    const fresh = { removed: new Set<number>(), inserted: new Map() };
    this.#containers.set(container, fresh);
    return fresh;
  }

  #remove(path: string): void {
    const { container, step } = this.#place(path);
    const index = container.kind === "array" ? Number(step) : container.members.indexOf(memberNamed(container, step)!);
    this.#change(container).removed.add(index);
    this.#gone.add(elementSpans(container)[index]!);
  }

  #insert(path: string, literal: () => Uint8Array): void {
    const { container, step } = this.#place(path);
    const { inserted } = this.#change(container);
    const length = elementSpans(container).length;
    const index = container.kind === "array" ? Math.min(Number(step), length) : length;
    const named =
      container.kind === "array" ? literal : () => Buffer.concat([Buffer.from(`${JSON.stringify(step)}:`), literal()]);
    const there = inserted.get(index);
    if (there === undefined) inserted.set(index, [named]);
    else there.push(named);
  }

  /** Between two elements that stay, everything that changes is one splice. */
  #containerSplices(container: JsonArrayNode | JsonObjectNode, change: ContainerEdits): Splice[] {
    const elements = elementSpans(container);
    const splices: Splice[] = [];
    let before = -1;
    let literals: Uint8Array[] = [];
    for (let index = 0; index <= elements.length; index++) {
      for (const literal of change.inserted.get(index) ?? []) literals.push(literal());
      if (change.removed.has(index)) continue;
      if (literals.length > 0 || index - before > 1) {
        splices.push(this.#gapSplice(container, elements, before, index, literals));
      }
      before = index;
      literals = [];
    }
    return splices;
  }

  #gapSplice(
    container: JsonNode,
    elements: readonly Span[],
    before: number,
    after: number,
    literals: readonly Uint8Array[],
  ): Splice {
    const left = elements[before];
    const right = elements[after];
    const start = left?.end ?? elements[0]?.start ?? container.start + 1;
    const joined = join(literals);
    if (right === undefined) {
      const end = elements.at(-1)?.end ?? start;
      return { start, end, bytes: left === undefined || joined.length === 0 ? joined : join([EMPTY, joined]) };
    }
    const head = left === undefined ? EMPTY : this.#bytes.subarray(left.end, elements[before + 1]!.start);
    const tail = joined.length === 0 ? EMPTY : join([joined, EMPTY]);
    return { start, end: right.start, bytes: Buffer.concat([head, tail]) };
  }

  /** JSON of a value; lifted parts keep their bytes. */
  #literal(value: unknown): Uint8Array {
    if (value instanceof Lifted) return this.#rendered(this.#node(value.path));
    if (Array.isArray(value))
      return wrap(
        "[",
        value.map((item) => this.#literal(item)),
        "]",
      );
    if (typeof value === "object" && value !== null) {
      const members = Object.entries(value).map(([name, member]) =>
        Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), this.#literal(member)]),
      );
      return wrap("{", members, "}");
    }
    return Buffer.from(JSON.stringify(value));
  }

  #rendered(span: Span): Uint8Array {
    assert(!this.#rendering.has(span), "a value is lifted into its own place");
    this.#rendering.add(span);
    const inner = this.#splicesWithin(span).map((one) => ({
      start: one.start - span.start,
      end: one.end - span.start,
      bytes: one.bytes,
    }));
    this.#rendering.delete(span);
    return splice(this.#bytes.subarray(span.start, span.end), inner);
  }

  #hasEditsWithin(span: Span): boolean {
    this.#edited ??= [...this.#containers.keys(), ...this.#replaced.keys()].toSorted((a, b) => a.start - b.start);
    for (let at = firstFrom(this.#edited, span.start); at < this.#edited.length; at++) {
      const edited = this.#edited[at]!;
      if (edited.start >= span.end) return false;
      if (edited.end <= span.end) return true;
    }
    return false;
  }

  #splicesWithin(span: Span): Splice[] {
    // Most moved elements have no edits of their own, and there may be thousands of them.
    if (!this.#hasEditsWithin(span)) return [];
    const holes = outermost(
      [...this.#gone, ...this.#replaced.keys()].filter((hole) => hole !== span && contains(span, hole)),
    );
    const splices: Splice[] = [];
    for (const [node, value] of this.#replaced) {
      if (holeAround(holes, node) === node && !this.#gone.has(node)) {
        splices.push({ start: node.start, end: node.end, bytes: this.#literal(value) });
      }
    }
    for (const [container, change] of this.#containers) {
      if (!contains(span, container) || holeAround(holes, container) !== null) continue;
      for (const one of this.#containerSplices(container, change)) splices.push(one);
    }
    return splices;
  }
}

const EMPTY = new Uint8Array(0);

function elementSpans(container: JsonArrayNode | JsonObjectNode): readonly Span[] {
  if (container.kind === "array") return container.items;
  return container.members.map((member) => ({ start: member.start, end: member.value.end }));
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from(","), part])));
}

function wrap(open: string, parts: readonly Uint8Array[], close: string): Uint8Array {
  return Buffer.concat([Buffer.from(open), join(parts), Buffer.from(close)]);
}

function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** Spans of a tree lie inside each other or apart: the ones that lie in no other, in order. */
function outermost(spans: readonly Span[]): readonly Span[] {
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const outer: Span[] = [];
  for (const span of sorted) {
    const last = outer.at(-1);
    if (last === undefined || span.start >= last.end) outer.push(span);
  }
  return outer;
}

/** The one of these spans, which are in order and apart, that contains this one. */
function holeAround(holes: readonly Span[], span: Span): Span | null {
  const hole = holes[firstFrom(holes, span.start + 1) - 1];
  return hole !== undefined && contains(hole, span) ? hole : null;
}

/** Index of the first span, of spans in order, that begins at `start` or behind it. */
function firstFrom(spans: readonly Span[], start: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.start < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
