/** Puts the engine together: the pure gate, the power of rules, counters and the store behind them. */
import { createHmac, randomUUID } from "node:crypto";
import { doubledPaths, parseBody, readRequest, spansOf } from "../dispatch/document.ts";
import { type Finding, type Judgement, judge } from "../dispatch/judge.ts";
import { repair } from "../dispatch/repair.ts";
import type { JudgeContext, Rule } from "../dispatch/rule.ts";
import { issuerOf } from "../dispatch/rules/rules.ts";
import { ThinkingMemory } from "../dispatch/thinking-memory.ts";
import type { Verdict } from "../dispatch/verdict.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { EventStore } from "../store/event-store.ts";
import { formatOf } from "../wire/formats.ts";
import type { JsonObject, WireRequest } from "../wire/request.ts";
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
import { assumedBackend, type RequestTarget, targetOf } from "./request-target.ts";
import { type Power, type PowerChange, type RulePlace, RulePowers } from "./rule-power.ts";

export interface EngineOptions {
  readonly store: EventStore;
  /** 32 bytes that lie beside the store, not in it (DG-75). */
  readonly hashKey: Uint8Array;
  readonly clock?: Clock;
}

const POWER_STREAM = "engine/rule-power";

/** Loads what earlier processes learned; a store that fails to answer means starting without it. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const engine = new GateEngine(options);
  await engine.load();
  return engine;
}

/** What the engine knows of a request between looking at it and its answer. */
interface Pending {
  readonly target: RequestTarget;
  readonly place: RulePlace;
  readonly request: WireRequest;
  readonly body: Uint8Array;
  readonly observed: ObservedRequest;
  readonly findings: readonly Finding[];
  /** Rules that fired on the bytes that were sent: an answer of 2xx refutes them. */
  readonly predicted: readonly Rule[];
  /** Rules whose repair this request tries after a rejection: an answer of 2xx proves them. */
  readonly tried: readonly Rule[];
}

class GateEngine implements Engine {
  readonly #counters: Counters;
  readonly #journal: Journal;
  readonly #powers: RulePowers;
  readonly #hashKey: Uint8Array;
  readonly #clock: Clock;
  readonly #memory = new ThinkingMemory();
  readonly #pending = new WeakMap<CheckedRequest, Pending>();

  constructor({ store, hashKey, clock = systemClock }: EngineOptions) {
    this.#counters = new Counters(store);
    this.#journal = new Journal(store, (type) => this.count("event_lost", { type }));
    this.#powers = new RulePowers((change) => this.#journal.write(POWER_STREAM, "rule.power.changed", change));
    this.#hashKey = hashKey;
    this.#clock = clock;
  }

  async load(): Promise<void> {
    try {
      for await (const change of this.#journal.events<PowerChange>(POWER_STREAM)) this.#powers.restore(change);
    } catch {
      // Expected: a locked or broken store (DG-74). Rules start with the power that their evidence gives them.
      this.count("own_failure", { where: "engine_load" });
    }
  }

  async checkRequest(observed: ObservedRequest): Promise<CheckedRequest> {
    const body = parseBody(observed.body);
    const target = body.kind === "body" ? targetOf(observed.upstream, observed.path, body.value) : null;
    if (body.kind !== "body" || target === null) return this.#unread(observed, body.kind);
    const request = withModel(readRequest(target.api, body.value), target);
    const place = this.#placeOf(observed, target, request);
    const context: JudgeContext = this.#contextOf(target);
    const judgement = this.#judged(observed.body, request, context, place);
    const ahead =
      observed.mode === "guard" ? this.#repairAhead(observed.body, request, judgement.findings, context, place) : null;
    const record: RequestRecord = {
      ...this.#recordBase(observed, target, request),
      verdict: judgement.verdict,
      outcome: ahead?.outcome ?? "sent",
      edits: ahead?.edits ?? [],
    };
    this.#countRequest(record, target);
    const checked: CheckedRequest = { record, body: ahead?.bytes ?? observed.body };
    const predicted = ahead === null ? judgement.findings.map(({ rule }) => rule) : ahead.remaining;
    this.#pending.set(checked, {
      target,
      place,
      request,
      body: observed.body,
      observed,
      findings: judgement.findings,
      predicted,
      tried: [],
    });
    return checked;
  }

  async retryAfterRejection(checked: CheckedRequest, response: ObservedResponse): Promise<CheckedRequest | null> {
    const pending = this.#pending.get(checked);
    const error = pending === undefined ? null : this.#readResponse(pending, response).error;
    if (pending === undefined || error === null || pending.tried.length > 0 || pending.request.body.background === true)
      return null;
    const context: JudgeContext = this.#contextOf(pending.target);
    const named = new Set(rulesBehind(pending.target.api, error));
    const { findings } = judge(pending.request, context);
    const matched = findings.filter(({ rule }) => named.has(rule) && rule.repair !== undefined).map(({ rule }) => rule);
    if (matched.length === 0) return null;
    const allowed = (rule: Rule): boolean => matched.includes(rule) || this.#mayRepairAhead(rule, pending.place);
    const again = repair(pending.body, pending.request, findings, context, allowed);
    if (again.edits.length === 0 || matched.some((rule) => again.remaining.includes(rule.id))) return null;
    const record: RequestRecord = { ...checked.record, outcome: "repaired", edits: again.edits };
    const retried: CheckedRequest = { record, body: again.bytes };
    for (const rule of matched) this.count("rule_retried", { rule: rule.id });
    this.#pending.set(retried, { ...pending, predicted: [], tried: matched });
    return retried;
  }

  observeResponse(checked: CheckedRequest, response: ObservedResponse): ResponseRecord {
    const pending = this.#pending.get(checked);
    if (pending === undefined) return { status: response.status, usage: null, rejection: null };
    const { usage, error, rows } = this.#readResponse(pending, response);
    if (rows.length > 0) this.#remember(checked, pending, rows);
    this.#learn(pending, response.status, error === null ? [] : rulesBehind(pending.target.api, error));
    if (error === null || response.status < 400) return { status: response.status, usage, rejection: null };
    const rule = this.#ruleFor(pending, rulesBehind(pending.target.api, error));
    this.count("provider_rejection", { status: String(response.status), rule: rule?.id ?? "unknown" });
    const message = redactedMessage(error.message);
    return {
      status: response.status,
      usage,
      rejection: { rule: rule?.id ?? null, path: pathIn(error.message), message },
    };
  }

  count(name: string, labels?: Readonly<Record<string, string>>): void {
    this.#counters.add(name, labels);
  }

  counters() {
    return this.#counters.list();
  }

  async close(): Promise<void> {
    await this.#journal.drain();
    await this.#counters.flush();
  }

  #unread(observed: ObservedRequest, reason: string): CheckedRequest {
    this.count("request_unread", { upstream: observed.upstream.name, reason: reason === "body" ? "path" : reason });
    const record: RequestRecord = {
      ...this.#recordBase(observed, null, null),
      verdict: { kind: "admit-unverified", soft: [{ class: "unmodelled", path: "", count: 1 }] },
      outcome: "sent",
      edits: [],
    };
    return { record, body: observed.body };
  }

  /** The verdict with each rule's power applied. */
  #judged(bytes: Uint8Array, request: WireRequest, context: JudgeContext, place: RulePlace): Judgement {
    const first = judge(request, context);
    if (first.findings.length === 0) return first;
    const root = spansOf(bytes);
    const doubled = root === null ? [""] : doubledPaths(root);
    const judgement = doubled.length === 0 ? first : judge(request, context, doubled);
    return demoted(judgement, (rule) => this.#powers.powerOf(rule, place), place.backend === "unknown");
  }

  #repairAhead(
    bytes: Uint8Array,
    request: WireRequest,
    findings: readonly Finding[],
    context: JudgeContext,
    place: RulePlace,
  ) {
    if (findings.length === 0) return { outcome: "sent", bytes, edits: [], remaining: [] as Rule[] } as const;
    const result = repair(bytes, request, findings, context, (rule) => this.#mayRepairAhead(rule, place));
    const left = findings.map(({ rule }) => rule).filter((rule) => result.remaining.includes(rule.id));
    const doomed = left.some((rule) => this.#powers.powerOf(rule, place) === "proven");
    if (doomed) return { outcome: "degraded", bytes, edits: [], remaining: findings.map(({ rule }) => rule) } as const;
    const outcome = result.edits.length > 0 ? "repaired" : "sent";
    return { outcome, bytes: result.bytes, edits: result.edits, remaining: left } as const;
  }

  #mayRepairAhead(rule: Rule, place: RulePlace): boolean {
    return rule.repair?.changes === "shape" && this.#powers.powerOf(rule, place) === "proven";
  }

  /** What one answer says about the rules that had something to say about its request. */
  #learn(pending: Pending, status: number, named: readonly Rule[]): void {
    const { place, predicted, tried } = pending;
    if (status >= 200 && status < 300) {
      for (const rule of tried) {
        this.count("rule_confirmed", { rule: rule.id });
        this.#powers.prove(rule, place);
      }
      for (const rule of predicted) {
        this.count("rule_refuted", { rule: rule.id });
        this.#powers.refute(rule, place);
      }
    }
    if (status !== 400 && status !== 422) return;
    const confirmed = predicted.filter((rule) => named.includes(rule));
    for (const rule of confirmed) {
      this.count("rule_confirmed", { rule: rule.id });
      this.#powers.prove(rule, place);
    }
    if (named.length > 0 && confirmed.length === 0 && tried.length === 0)
      this.count("rule_missed", { rule: named[0]!.id });
  }

  #ruleFor(pending: Pending, named: readonly Rule[]): Rule | undefined {
    return named.find((rule) => pending.findings.some((finding) => finding.rule === rule)) ?? named[0];
  }

  #readResponse({ target }: Pending, response: ObservedResponse) {
    const mediaType = (response.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
    const format = formatOf(target.api);
    const read = format?.readResponse({ status: response.status, mediaType, bytes: response.body });
    return { usage: read?.usage ?? null, error: read?.error ?? null, rows: read?.rows ?? [] };
  }

  /** What the provider saw is what its seals are bound to: for a repaired request, the repaired bytes. */
  #remember(checked: CheckedRequest, { target, body, request }: Pending, rows: readonly JsonObject[]): void {
    const format = formatOf(target.api);
    if (format === undefined) return;
    const sent = checked.body === body ? null : parseBody(checked.body);
    const seen = sent?.kind === "body" ? format.readRequest(sent.value) : request;
    this.#memory.observe({ issuer: issuerOf(assumedBackend(target)), request: seen, rows, format });
  }

  #contextOf(target: RequestTarget): JudgeContext {
    const backend = assumedBackend(target);
    return { backend, issuer: issuerOf(backend), memory: this.#memory };
  }

  #placeOf(observed: ObservedRequest, target: RequestTarget, request: WireRequest): RulePlace {
    const credential =
      observed.headers.authorization ?? observed.headers["x-api-key"] ?? observed.headers["x-goog-api-key"] ?? "";
    const namespace = this.#keyed("namespace", `${observed.upstream.name}\0${credential}`);
    return { upstream: observed.upstream.name, backend: target.backend, model: request.model, namespace };
  }

  #keyed(purpose: string, text: string): string {
    return createHmac("sha256", this.#hashKey).update(`${purpose}\0${text}`).digest("hex").slice(0, 32);
  }

  #recordBase(observed: ObservedRequest, target: RequestTarget | null, request: WireRequest | null) {
    return {
      id: randomUUID(),
      at: this.#clock.now(),
      upstream: observed.upstream.name,
      api: target?.api ?? null,
      backend: target?.backend ?? observed.upstream.backend ?? "unknown",
      model: request?.model ?? null,
      session: null,
      lane: null,
      bytes: observed.body.length,
      rows: request?.rows.length ?? 0,
    };
  }

  #countRequest(record: RequestRecord, target: RequestTarget): void {
    const labels = { api: target.api, backend: target.backend };
    this.count("request", { ...labels, verdict: record.verdict.kind, outcome: record.outcome });
    for (const { class: name, count } of softOf(record.verdict))
      this.#counters.add("divergence", { ...labels, class: name }, count);
    if (record.verdict.kind !== "unsafe") return;
    for (const rule of new Set(record.verdict.hard.map((violation) => violation.rule)))
      this.count("rule_predicted", { ...labels, rule });
  }
}

function softOf(verdict: Verdict) {
  return verdict.kind === "admit" ? [] : verdict.soft;
}

function withModel(request: WireRequest, target: RequestTarget): WireRequest {
  return request.model !== null || target.modelInPath === null ? request : { ...request, model: target.modelInPath };
}

/** A refuted rule only reports, and so does one that an unknown server has not confirmed yet (DG-4). */
function demoted(judgement: Judgement, powerOf: (rule: Rule) => Power, serverUnknown: boolean): Judgement {
  const weak = judgement.findings.filter(({ rule }) => {
    const power = powerOf(rule);
    return power === "refuted" || (serverUnknown && power === "unproven");
  });
  if (weak.length === 0) return judgement;
  const findings = judgement.findings.filter(({ rule }) => powerOf(rule) !== "refuted");
  const count = weak.reduce((sum, finding) => sum + finding.faults.length, 0);
  const soft = [
    ...softOf(judgement.verdict),
    { class: "unproven_rule" as const, path: weak[0]!.faults[0]!.path, count },
  ];
  const ids = new Set(weak.map(({ rule }) => rule.id));
  const hard = judgement.verdict.kind === "unsafe" ? judgement.verdict.hard.filter(({ rule }) => !ids.has(rule)) : [];
  return { findings, verdict: hard.length > 0 ? { kind: "unsafe", hard, soft } : { kind: "admit-unverified", soft } };
}
