/** Puts the engine together: reader, gate, power of rules, memory, counters, and the store behind them. */
import { randomUUID } from "node:crypto";
import { parseBody } from "../dispatch/document.ts";
import type { Finding } from "../dispatch/judge.ts";
import { judge } from "../dispatch/judge.ts";
import { recipesFor, replayEdits } from "../dispatch/recipe.ts";
import { applyToBody, repair } from "../dispatch/repair.ts";
import type { JudgeContext, Rule } from "../dispatch/rule.ts";
import { issuerOf } from "../dispatch/rules/rules.ts";
import { ThinkingMemory } from "../dispatch/thinking-memory.ts";
import type { Verdict } from "../dispatch/verdict.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { keyedHash } from "../lib/keyed-hash.ts";
import type { EventStore } from "../store/event-store.ts";
import { formatOf } from "../wire/formats.ts";
import type { JsonObject } from "../wire/request.ts";
import { NOTHING_SAID, type WireResponse } from "../wire/response.ts";
import { type BodyCapture, Captures } from "./capture.ts";
import { Counters } from "./counters.ts";
import type {
  CheckedRequest,
  Engine,
  ObservedRequest,
  ObservedResponse,
  RequestRecord,
  ResponseRecord,
} from "./engine.ts";
import { pathIn, redactedMessage, rulesBehind } from "./explain.ts";
import { Journal } from "./journal.ts";
import {
  type AheadRepair,
  judgeRequest,
  mayRepairAhead,
  type PowerOf,
  repairAhead,
  softOf,
  withSoft,
} from "./judge-request.ts";
import { Lanes } from "./lanes.ts";
import { RecipeBook } from "./recipe-book.ts";
import { type ReadRequest, RequestReader } from "./request-reader.ts";
import { assumedBackend, type RequestTarget } from "./request-target.ts";
import { learnFrom, type PowerChange, RulePowers } from "./rule-power.ts";
import { ShapeWatch } from "./shape-watch.ts";
import { threadAnswer } from "./thread-answer.ts";

export interface EngineOptions {
  readonly store: EventStore;
  /** 32 bytes that lie beside the store, not in it (DG-75). */
  readonly hashKey: Uint8Array;
  readonly clock?: Clock;
  /** Keeps redacted bodies of what is worth looking at (DG-71); without it only records without content are kept. */
  readonly bodies?: BodyCapture;
}

/** Loads what earlier processes learned; a store that fails to answer means starting without it. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const engine = new GateEngine(options);
  await engine.load();
  return engine;
}

type Read = Extract<ReadRequest, { kind: "read" }>;

/** What the engine knows of a request between looking at it and its answer. */
interface Pending {
  readonly read: Read;
  readonly powerOf: PowerOf;
  readonly findings: readonly Finding[];
  /** Rules that fired on the bytes that were sent: an answer of 2xx refutes them. */
  readonly predicted: readonly Rule[];
  /** Rules whose repair this request tries after a rejection: an answer of 2xx proves them. */
  readonly tried: readonly Rule[];
  /** Rules whose faults the sent bytes no longer have. */
  readonly repairing: readonly Rule[];
}

const POWER_STREAM = "engine/rule-power";

class GateEngine implements Engine {
  readonly #counters: Counters;
  readonly #journal: Journal;
  readonly #powers: RulePowers;
  readonly #reader: RequestReader;
  readonly #recipes: RecipeBook;
  readonly #shapes: ShapeWatch;
  readonly #captures: Captures;
  readonly #clock: Clock;
  readonly #memory = new ThinkingMemory();
  readonly #pending = new WeakMap<CheckedRequest, Pending>();

  constructor({ store, hashKey, clock = systemClock, bodies }: EngineOptions) {
    this.#counters = new Counters(store);
    this.#journal = new Journal(store, (type) => this.count("event_lost", { type }));
    this.#powers = new RulePowers((change) => this.#journal.write(POWER_STREAM, "rule.power.changed", change));
    this.#reader = new RequestReader(keyedHash(hashKey), clock, new Lanes(this.#journal));
    this.#recipes = new RecipeBook(this.#journal);
    this.#shapes = new ShapeWatch(this.#journal);
    this.#captures = new Captures(this.#journal, (name, labels) => this.count(name, labels), bodies ?? null);
    this.#clock = clock;
  }

  async load(): Promise<void> {
    try {
      await this.#journal.follow<PowerChange>(POWER_STREAM, (change) => this.#powers.restore(change));
      await this.#recipes.load();
      await this.#shapes.load();
      await this.#reader.lanes.load();
      await this.#captures.load();
    } catch {
      // Expected: a locked or broken store (DG-74). Rules start with the power that their evidence gives them.
      this.count("own_failure", { where: "engine_load" });
    }
  }

  async checkRequest(observed: ObservedRequest): Promise<CheckedRequest> {
    const read = this.#reader.read(observed);
    if (read.kind === "unread") return this.#passUnread(observed, read.reason);
    const { target, request, join } = read;
    const powerOf = this.#powerOf(observed, read);
    const context = this.#contextOf(target);
    const { verdict: judged, findings } = judgeRequest(
      observed.body,
      request,
      context,
      powerOf,
      target.backend === "unknown",
    );
    const verdict = this.#withComparison(judged, observed, read);
    const managed = observed.mode === "guard" && join.lane.latchedAt === null;
    const ahead = managed ? this.#prepare(read, findings, context, powerOf) : untouched(observed.body, findings);
    if (ahead.outcome === "degraded") this.#reader.lanes.latch(join.lane, this.#clock.now());
    const record: RequestRecord = {
      ...this.#recordOf(observed, read),
      verdict,
      outcome: ahead.outcome,
      edits: ahead.edits,
    };
    const ownAnswer = observed.mode === "guard" ? threadAnswer(request, target) : null;
    if (ownAnswer !== null) this.count("thread_unsupported", { upstream: observed.upstream.name });
    const checked: CheckedRequest = { record, body: ahead.bytes, before: movedFrom(read), ownAnswer };
    const repairing = findings.map(({ rule }) => rule).filter((rule) => !ahead.remaining.includes(rule));
    this.#pending.set(checked, { read, powerOf, findings, predicted: ahead.remaining, tried: [], repairing });
    this.#countRequest(record, join.kind);
    this.#captures.ofRequest(record, observed.body);
    return checked;
  }

  async retryAfterRejection(checked: CheckedRequest, response: ObservedResponse): Promise<CheckedRequest | null> {
    const pending = this.#pending.get(checked);
    if (pending === undefined || pending.tried.length > 0 || pending.read.request.body.background === true) return null;
    const { error } = this.#readResponse(pending.read.target, response);
    if (error === null) return null;
    const { target, request, body } = pending.read;
    const context = { ...this.#contextOf(target), rejectedAt: pathIn(error.message) };
    const named = rulesBehind(target.api, error);
    const { findings } = judge(request, context);
    // Several rules share one text; those that this provider has refuted are the last to be meant.
    const firing = findings.map(({ rule }) => rule).filter((rule) => named.includes(rule) && rule.repair !== undefined);
    const standing = firing.filter((rule) => pending.powerOf(rule) !== "refuted");
    const meant = standing.length > 0 ? standing : firing;
    // What fires only because of the rejection is repaired only where the rejection means it.
    const fired = new Set(pending.findings.map(({ rule }) => rule));
    const allowed = (rule: Rule): boolean =>
      meant.includes(rule) || (fired.has(rule) && mayRepairAhead(rule, pending.powerOf));
    const again = repair(body.bytes, request, findings, context, allowed);
    const matched = meant.filter((rule) => !again.remaining.includes(rule.id));
    if (again.edits.length === 0 || matched.length === 0) return null;
    const record: RequestRecord = { ...checked.record, outcome: "repaired", edits: again.edits };
    const retried: CheckedRequest = { record, body: again.bytes, before: checked.before, ownAnswer: null };
    for (const rule of matched) this.count("rule_retried", { rule: rule.id });
    this.#pending.set(retried, { ...pending, predicted: [], tried: matched, repairing: matched });
    return retried;
  }

  observeResponse(checked: CheckedRequest, response: ObservedResponse): ResponseRecord {
    const pending = this.#pending.get(checked);
    if (pending === undefined) return { status: response.status, usage: null, rejection: null };
    const { target } = pending.read;
    const { usage, error, rows } = this.#readResponse(target, response);
    if (rows.length > 0) this.#remember(checked, pending.read, rows);
    const named = error === null ? [] : rulesBehind(target.api, error);
    for (const { event, rule, power } of learnFrom(pending, response.status, named)) {
      this.count(`rule_${event}`, { rule: rule.id });
      if (power !== null) this.#powers.set(rule, this.#placeOf(checked.record, pending.read), power);
    }
    if (response.status < 300 && checked.body !== pending.read.body.bytes) {
      for (const recipe of recipesFor(pending.repairing, pending.read.join.lane.chain)) this.#recipes.record(recipe);
    }
    if (pending.tried.length > 0 && response.status < 300) this.#reader.lanes.unlatch(pending.read.join.lane);
    const rule = named.find((one) => pending.findings.some((finding) => finding.rule === one)) ?? named[0];
    if (response.status >= 400 && response.status < 500) {
      const rejected = { status: response.status, rule: rule?.id ?? null };
      this.#captures.ofRejection(checked.record, pending.read.body.bytes, rejected);
    }
    if (error === null || response.status < 400) return { status: response.status, usage, rejection: null };
    this.count("provider_rejection", { status: String(response.status), rule: rule?.id ?? "unknown" });
    const rejection = { rule: rule?.id ?? null, path: pathIn(error.message), message: redactedMessage(error.message) };
    return { status: response.status, usage, rejection };
  }

  count(name: string, labels?: Readonly<Record<string, string>>): void {
    this.#counters.add(name, labels);
  }

  counters() {
    return this.#counters.list();
  }

  async close(): Promise<void> {
    await this.#captures.close();
    await this.#journal.close();
    await this.#counters.flush();
  }

  /** Differences to what the host prepared are added to the verdict; they change nothing else (DG-42). */
  #withComparison(verdict: Verdict, { prepared }: ObservedRequest, { request, join, opensOperation }: Read): Verdict {
    if (prepared === undefined) return verdict;
    const { divergences, fresh, lost } = this.#shapes.compare(join.lane.id, prepared, request, opensOperation);
    if (fresh !== null) this.count("divergence_shape", { host: prepared.host, shape: fresh });
    this.#counters.add("result_characters_lost", { host: prepared.host }, lost.characters);
    return divergences.length === 0 ? verdict : withSoft(verdict, divergences);
  }

  /** Earlier repairs of this history are made again, then what is wrong now is repaired. */
  #prepare(read: Read, findings: readonly Finding[], context: JudgeContext, powerOf: PowerOf): AheadRepair {
    const { request, body, join } = read;
    const replayed = this.#recipes.isEmpty
      ? []
      : replayEdits(request, join.lane.chain, (anchor) => this.#recipes.at(anchor));
    const again = replayed.length === 0 ? null : applyToBody(body.bytes, request, replayed, context);
    if (again === null) return repairAhead(body.bytes, request, findings, context, powerOf);
    const ahead = repairAhead(again.bytes, again.request, again.findings, context, powerOf);
    // A replay that ends in a foreseen rejection is worse than none.
    if (ahead.outcome === "degraded") return repairAhead(body.bytes, request, findings, context, powerOf);
    for (const edit of replayed) this.count("recipe_replayed", { rule: edit.rule });
    return { ...ahead, outcome: "repaired", edits: [...replayed, ...ahead.edits] };
  }

  #passUnread(observed: ObservedRequest, reason: string): CheckedRequest {
    this.count("request_unread", { upstream: observed.upstream.name, reason });
    const verdict = { kind: "admit-unverified", soft: [{ class: "unmodelled", path: "", count: 1 }] } as const;
    return {
      record: { ...this.#recordOf(observed, null), verdict, outcome: "sent", edits: [] },
      body: observed.body,
      before: null,
      ownAnswer: null,
    };
  }

  #contextOf(target: RequestTarget): JudgeContext {
    const backend = assumedBackend(target);
    return { backend, issuer: issuerOf(backend), memory: this.#memory };
  }

  #powerOf(observed: ObservedRequest, read: Read): PowerOf {
    const place = this.#placeOf({ upstream: observed.upstream.name }, read);
    return (rule) => this.#powers.powerOf(rule, place);
  }

  #placeOf({ upstream }: { upstream: string }, { target, request, namespace }: Read) {
    return { upstream, backend: target.backend, model: request.model, namespace };
  }

  #readResponse(target: RequestTarget, response: ObservedResponse): WireResponse {
    const mediaType = (response.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
    const read = formatOf(target.api)?.readResponse({ status: response.status, mediaType, bytes: response.body });
    return read ?? NOTHING_SAID;
  }

  /** What the provider saw is what its seals are bound to: for a repaired request, the repaired bytes. */
  #remember(checked: CheckedRequest, { target, body, request }: Read, rows: readonly JsonObject[]): void {
    const format = formatOf(target.api);
    if (format === undefined) return;
    const sent = checked.body === body.bytes ? null : parseBody(checked.body);
    const seen = sent?.kind === "body" ? format.readRequest(sent.value) : request;
    this.#memory.observe({ issuer: issuerOf(assumedBackend(target)), request: seen, rows, format });
  }

  #recordOf(observed: ObservedRequest, read: Read | null) {
    return {
      id: randomUUID(),
      at: this.#clock.now(),
      upstream: observed.upstream.name,
      api: read?.target.api ?? null,
      backend: read?.target.backend ?? observed.upstream.backend ?? "unknown",
      model: read?.request.model ?? null,
      session: read?.session ?? read?.join.lane.id ?? null,
      lane: read?.join.lane.id ?? null,
      bytes: observed.body.length,
      rows: read?.request.rows.length ?? 0,
    };
  }

  #countRequest(record: RequestRecord, lane: string): void {
    const labels = { api: record.api ?? "none", backend: record.backend };
    this.count("request", { ...labels, verdict: record.verdict.kind, outcome: record.outcome });
    this.count("lane", { join: lane });
    for (const soft of softOf(record.verdict)) {
      this.#counters.add("divergence", { ...labels, class: soft.class }, soft.count);
    }
    const hard = record.verdict.kind === "unsafe" ? record.verdict.hard : [];
    for (const rule of new Set(hard.map((violation) => violation.rule)))
      this.count("rule_predicted", { ...labels, rule });
    for (const rule of new Set(record.edits.map((edit) => edit.rule))) this.count("repair", { ...labels, rule });
  }
}

/** Observe mode, or a lane that once had to go out as it was: its prefix stays the host's own (DG-44). */
function untouched(bytes: Uint8Array, findings: readonly Finding[]): AheadRepair {
  return { outcome: "sent", bytes, edits: [], remaining: findings.map(({ rule }) => rule) };
}

/** The body before, if this one leaves its history or has another member in front of the prompt. */
function movedFrom({ join, body, request }: Read): JsonObject | null {
  const { kind, before } = join;
  if (before === null || kind === "repeats") return null;
  if (kind === "forks") return before.value;
  const rows = request.rowsPath.slice(1);
  const names = new Set([...Object.keys(before.value), ...Object.keys(body.value)]);
  const moved = [...names].some((name) => name !== rows && !isSame(before.value[name], body.value[name]));
  return moved ? before.value : null;
}

/** A body that was read by its difference has the same objects; others are compared by their text. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
