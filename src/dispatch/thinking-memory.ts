/**
 * What earlier answers showed about their sealed reasoning: who issued it (DG-28), what stood in front of it, and how
 * it looked. Only the issuer outlives the process, by stamps; a seal is opaque and is used as a key, nothing is read out
 * of it.
 */
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Sha256 } from "../lib/sha256.ts";
import { isObject, type JsonObject, type ThinkingBlock, type WireRequest } from "../wire/request.ts";
import type { WireFormat } from "../wire/wire-format.ts";
import { blockDigest, linked, prefixChainOf } from "./prefix-chain.ts";

/** Who sealed a piece of reasoning. */
export interface Issuer {
  /** One name for all doors to the same models; what one of them sealed means nothing to another. */
  readonly name: string;
  /** Keyed hash of upstream and credential; empty where only bodies are known. */
  readonly namespace: string;
  readonly model: string | null;
}

/** Issuers that outlive the process. */
export interface IssuerStamps {
  readonly isEmpty: boolean;
  /** What is kept of a seal. */
  stampOf(seal: string): string;
  issuerOf(stamp: string): Issuer | undefined;
}

/** One request and its complete answer. */
export interface Exchange {
  readonly issuer: Issuer;
  readonly request: WireRequest;
  /** The assistant rows of the answer, as the client sends them back. */
  readonly rows: readonly JsonObject[];
  readonly format: WireFormat;
}

export interface SealedThinking {
  readonly issuer: Issuer;
  readonly answer: SealedAnswer;
  /** Index of the block in its answer. */
  readonly index: number;
  /** The block as it was issued. */
  readonly original: unknown;
  readonly digest: Sha256;
  /** Hash of everything in front of the block. */
  readonly prefix: Sha256;
  readonly tools: Sha256;
  readonly system: Sha256;
}

export interface SealedAnswer {
  /** Digests of all blocks of the answer in order. */
  readonly digests: readonly Sha256[];
  readonly hasCalls: boolean;
}

/** Seals of about a thousand long sessions; a forgotten one is only no longer checked. */
const SEALS_MAX = 50_000;

/** Bytes of original blocks that are kept for `restore`. */
const ORIGINAL_BYTES_MAX = 64 * 1024 * 1024;

export class ThinkingMemory {
  readonly #seals = new BoundedMap<string, SealedThinking>(SEALS_MAX, ORIGINAL_BYTES_MAX);
  readonly #reasoningOfItem = new BoundedMap<string, string>(SEALS_MAX);
  readonly #stamps: IssuerStamps | null;
  /** Of blocks that are not remembered in full: a seal is hashed once, not in every turn. */
  readonly #stampOf = new WeakMap<ThinkingBlock, string>();

  constructor(stamps: IssuerStamps | null = null) {
    this.#stamps = stamps;
  }

  get(block: ThinkingBlock): SealedThinking | undefined {
    return block.seal === null || block.seal === "" ? undefined : this.#seals.get(block.seal);
  }

  issuerOf(block: ThinkingBlock): Issuer | undefined {
    return this.get(block)?.issuer ?? this.#issuerByStamp(block);
  }

  #issuerByStamp(block: ThinkingBlock): Issuer | undefined {
    if (this.#stamps === null || this.#stamps.isEmpty || (block.seal ?? "") === "") return undefined;
    const stamp = this.#stampOf.get(block) ?? this.#stamps.stampOf(block.seal!);
    this.#stampOf.set(block, stamp);
    return this.#stamps.issuerOf(stamp);
  }

  /** The id of the reasoning item that an output item of an answer came with. */
  reasoningFor(itemId: string): string | undefined {
    return this.#reasoningOfItem.get(itemId);
  }

  /** @returns the seals of the answer */
  observe({ issuer, request, rows, format }: Exchange): readonly string[] {
    const read = format.readRequest({ [request.rowsPath.slice(1)]: rows });
    const blocks = read.rows.flatMap((row) => row.blocks);
    this.#observeItems(rows);
    if (!blocks.some((block) => block.kind === "thinking" && block.seal !== null)) return [];
    const seals: string[] = [];
    const chain = prefixChainOf(request);
    const digests = blocks.map((block) => blockDigest(block.value));
    const answer = { digests, hasCalls: blocks.some((block) => block.kind === "call") };
    let prefix = chain.end;
    blocks.forEach((block, index) => {
      const digest = digests[index]!;
      if (block.kind === "thinking" && block.seal !== null && block.seal !== "") {
        const { tools, system } = chain;
        const sealed = { issuer, answer, index, original: block.value, digest, prefix, tools, system };
        this.#seals.set(block.seal, sealed, block.seal.length + block.text.length);
        seals.push(block.seal);
      }
      prefix = linked(prefix, "assistant", digest);
    });
    return seals;
  }

  /** Responses items: an item that follows a reasoning item with an id cannot be sent back by its id without it. */
  #observeItems(rows: readonly JsonObject[]): void {
    let reasoning: string | null = null;
    for (const row of rows) {
      const id = isObject(row) && typeof row.id === "string" ? row.id : null;
      if (row.type === "reasoning") reasoning = id;
      else if (id !== null && reasoning !== null) this.#reasoningOfItem.set(id, reasoning);
    }
  }
}
