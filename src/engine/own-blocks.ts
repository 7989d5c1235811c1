/**
 * The blocks that somebody injects into the requests of a session (DG-60 to DG-62): whether they are where they belong,
 * which conversation has lost one, and whether the next request may carry them (DG-44).
 */
import { randomUUID } from "node:crypto";
import { bareChainOf, rewrittenChainOf } from "../dispatch/bare-chain.ts";
import { type OwnRule, ownViolation } from "../dispatch/own-rules.ts";
import { ReceiptIndex } from "../dispatch/receipt.ts";
import { findInRows, findReceipts, idsAnywhere, type PlacedReceipt } from "../dispatch/receipt-search.ts";
import type { RowChain } from "../dispatch/row-chain.ts";
import type { Violation } from "../dispatch/verdict.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import type { KeyedHash } from "../lib/keyed-hash.ts";
import { afterTurn, beforeTurn, requiredOf } from "../session/conversation.ts";
import type { Anchor, Row, WireRequest } from "../wire/request.ts";
import { Conversations, type JoinedConversation } from "./conversations.ts";
import type { InjectedBlock, Injection } from "./injection.ts";
import type { Journal } from "./journal.ts";
import { ReceiptBook, type SessionReceipts } from "./receipt-book.ts";
import type { RequestOwner } from "./request-owner.ts";
import { ResponseIds } from "./response-ids.ts";

export interface OwnCheck {
  readonly violations: readonly Violation[];
  readonly session: string;
  /** The conversation whose answer is awaited. */
  readonly conversation: string;
}

/** Names of blocks as their callers wrote them, for messages; a process that only restored them shows a part of the hash. */
const LABELS_MAX = 10_000;

export class OwnBlocks {
  readonly #book: ReceiptBook;
  readonly #conversations: Conversations;
  readonly #responses = new ResponseIds();
  readonly #labels = new BoundedMap<string, string>(LABELS_MAX);
  readonly #clock: Clock;

  constructor(journal: Journal, hash: KeyedHash, clock: Clock) {
    this.#book = new ReceiptBook(journal, hash);
    this.#conversations = new Conversations(journal);
    this.#clock = clock;
  }

  async load(): Promise<void> {
    await this.#book.load();
    await this.#conversations.load();
  }

  inject({ id }: RequestOwner, { name, text }: InjectedBlock): Injection {
    const receipt = this.#book.maker.receiptOf(text);
    if (receipt === null) return { kind: "unwatched", reason: "too_short" };
    const key = this.#book.nameOf(id, name);
    if (this.#book.of(id) === undefined) this.#responses.begin(id);
    if (!this.#book.hold(id, key, receipt)) return { kind: "unwatched", reason: "too_many" };
    this.#labels.set(key, name);
    const since = this.#conversations.latchedSince(id, this.#clock.now());
    return since === null ? { kind: "carry" } : { kind: "leave-out", since };
  }

  retire({ id }: RequestOwner, name: string): void {
    this.#book.retire(id, this.#book.nameOf(id, name));
  }

  /**
   * @param prepared rows that the host meant to send, where it showed them
   * @returns null for a session without blocks
   */
  check(owner: RequestOwner, request: WireRequest, prepared: readonly Row[]): OwnCheck | null {
    const receipts = this.#book.isEmpty ? undefined : this.#book.of(owner.id);
    if (receipts === undefined) return null;
    const found = findReceipts(request, receipts.index);
    const misplaced = this.#misplaced(receipts, found);
    const { anchor } = request;
    if (anchor !== null) return this.#checkChained(owner.id, anchor, misplaced);
    const seed = owner.chainSeed(request.api);
    const chain = bareChainOf(request.rows, receipts.index, seed, found);
    const present = presentIn(receipts, found);
    const { joined, rewritten } = this.#join(owner.id, request, receipts, chain, present);
    const turn = { model: request.model, now: this.#clock.now() };
    const state = beforeTurn(joined.state, turn.model, turn.now);
    const meant = state.latchedAt === null ? presentIn(receipts, findInRows(prepared, receipts.index)) : [];
    const stale = misplaced.filter(({ rule }) => rule === "OWN-STALE");
    const required = new Set([...requiredOf(state, receipts.held.keys()), ...meant]);
    const absent = [...required].filter((name) => !present.has(name) && !stale.some((one) => one.name === name));
    const anywhere = absent.length === 0 ? NOTHING : idsAnywhere(request, receipts.index);
    const missing = absent.flatMap((name): Misplaced[] => {
      const { id } = receipts.held.get(name)!;
      const rule = rewritten.has(id) ? "OWN-TEXT" : "OWN-LOST";
      return anywhere.has(id) ? [] : [{ rule, path: request.rowsPath, name }];
    });
    const after = afterTurn(state, { ...turn, present, broken: missing.length > 0 || stale.length > 0 });
    const hasReply = chain.rows.some(({ role }) => role === "assistant");
    this.#conversations.keep(owner.id, chain, joined, after, hasReply);
    const violations = [...missing, ...misplaced].map((one) => this.#violation(one));
    return { violations, session: owner.id, conversation: joined.id };
  }

  /** A history that is nobody's may be one in which a block was rewritten: what is left of it shows whose it is. */
  #join(
    session: string,
    { rows }: WireRequest,
    { held, index }: SessionReceipts,
    chain: RowChain,
    present: ReadonlySet<string>,
  ): { joined: JoinedConversation; rewritten: ReadonlySet<string> } {
    const joined = this.#conversations.join(session, chain);
    const absent = [...held].filter(([name]) => !present.has(name)).map(([, receipt]) => receipt);
    if (joined.continues || absent.length === 0) return { joined, rewritten: NOTHING };
    const halves = new ReceiptIndex(this.#book.maker, absent, "halves");
    const { rewritten, ...again } = rewrittenChainOf(rows, index, halves, chain.seed);
    const other = rewritten.size === 0 ? joined : this.#conversations.join(session, again);
    return other.continues ? { joined: other, rewritten } : { joined, rewritten: NOTHING };
  }

  /** The provider has taken a request and answered it. */
  accepted({ session, conversation }: OwnCheck, responseId: string | null): void {
    this.#responses.accepted(session, conversation, responseId);
  }

  /** What is sent is only what is new: our blocks are with the provider, if the answer is the one that came last (DG-61). */
  #checkChained(session: string, { id, kind, path }: Anchor, misplaced: readonly Misplaced[]): OwnCheck {
    const violations = misplaced.map((one) => this.#violation(one));
    const holdsAnswers = kind === "previous_response" || kind === "thread";
    const state = id === null || !holdsAnswers ? null : this.#responses.stateOf(session, id);
    if (state?.kind === "last") {
      this.#conversations.touch(session, state.conversation, this.#clock.now());
      return { violations, session, conversation: state.conversation };
    }
    if (state?.kind === "stale" || state?.kind === "forged") violations.push(ownViolation("CHAIN", path, null));
    // What goes on from an answer of somebody else's is a conversation of its own.
    return { violations, session, conversation: randomUUID() };
  }

  /** What is there and should not be: twice, or an older version. What an agent read from a file is nobody's doing. */
  #misplaced({ held, stale, versions }: SessionReceipts, found: readonly PlacedReceipt[]): Misplaced[] {
    const current = new Set([...held.values()].map(({ id }) => id));
    const counts = new Map<string, number>();
    return found.flatMap(({ receipt: { id }, path, inResult }): Misplaced[] => {
      if (inResult) return [];
      const nth = (counts.get(id) ?? 0) + 1;
      counts.set(id, nth);
      const { name } = versions.get(id)!;
      if (nth === 1 && stale.has(id)) return [{ rule: "OWN-STALE", path, name }];
      return nth === 2 && current.has(id) ? [{ rule: "OWN-TWICE", path, name }] : [];
    });
  }

  #violation({ rule, path, name }: Misplaced): Violation {
    return ownViolation(rule, path, this.#labels.get(name) ?? `block ${name.slice(0, 8)}`);
  }
}

const NOTHING: ReadonlySet<string> = new Set();

interface Misplaced {
  readonly rule: OwnRule;
  readonly path: string;
  readonly name: string;
}

/** Names of the blocks whose current version is among what was found. */
function presentIn({ held }: SessionReceipts, found: readonly PlacedReceipt[]): Set<string> {
  const ids = new Set(found.map(({ receipt }) => receipt.id));
  return new Set([...held].filter(([, { id }]) => ids.has(id)).map(([name]) => name));
}
