/** A request before it leaves: read, judged, compared, repaired where that is proven, counted (DG-1 to DG-12). */
import { randomUUID } from "node:crypto";
import type { Finding } from "../dispatch/judge.ts";
import { isOwn, withOwn } from "../dispatch/own-rules.ts";
import { applyToBody } from "../dispatch/repair.ts";
import type { JudgeContext } from "../dispatch/rule.ts";
import type { Verdict, Violation } from "../dispatch/verdict.ts";
import type { WireRequest } from "../wire/request.ts";
import { volatileNamesIn } from "../wire/volatile-block.ts";
import { bodySha256 } from "./body-sha256.ts";
import type { CheckedRequest, ObservedRequest, RequestRecord } from "./engine.ts";
import { contextOf, type EngineParts, type Read, type RepairStart } from "./engine-parts.ts";
import { type AheadRepair, judgeRequest, type PowerOf, repairAhead, softOf, withSoft } from "./judge-request.ts";
import { comparePlanned } from "./planned-prefix.ts";
import { editsToReplay } from "./replay-repairs.ts";
import type { ReadRequest } from "./request-reader.ts";
import { threadAnswer } from "./thread-answer.ts";

export function checkRequest(parts: EngineParts, observed: ObservedRequest, read: ReadRequest): CheckedRequest {
  if (read.kind === "unread") return passUnread(parts, observed, read.reason);
  const { target, request, namespace, join } = read;
  const place = { upstream: observed.upstream.name, backend: target.backend, model: request.model, namespace };
  const powerOf: PowerOf = (rule) => parts.powers.powerOf(rule, place);
  const context = contextOf(parts, read);
  const judged = judgeRequest(observed.body, request, context, powerOf, target.backend === "unknown");
  const { findings } = judged;
  const own = parts.own.check(read.owner, request, observed.prepared?.rows ?? []);
  const broken = own?.violations ?? [];
  const verdict = withOwn(withComparison(parts, judged.verdict, observed, read), broken);
  const managed = observed.mode === "guard" && join.lane.latchedAt === null;
  const { start, ahead } = managed
    ? prepare(parts, read, findings, context, powerOf)
    : untouched(observed.body, request, findings);
  if (ahead.outcome === "degraded") parts.reader.lanes.latch(join.lane, parts.clock.now());
  const looked = { ...recordOf(parts, observed, read), verdict, ...doneTo(observed, ahead, broken), bodySha256: null };
  const record: RequestRecord = account(parts, observed, looked, read)
    ? { ...looked, bodySha256: bodySha256(observed.body, ahead.bytes) }
    : looked;
  const ownAnswer = observed.mode === "guard" ? threadAnswer(request, target) : null;
  if (ownAnswer !== null) parts.counters.add("thread_unsupported", { upstream: observed.upstream.name });
  const checked: CheckedRequest = { record, body: ahead.bytes, before: read.before, ownAnswer };
  const repairing = findings.map(({ rule }) => rule).filter((rule) => !ahead.remaining.includes(rule));
  const { remaining: predicted, request: sent } = ahead;
  parts.pending.set(checked, { read, start, sent, place, powerOf, findings, predicted, tried: [], repairing, own });
  return checked;
}

function passUnread(parts: EngineParts, observed: ObservedRequest, reason: string): CheckedRequest {
  parts.counters.add("request_unread", { upstream: observed.upstream.name, reason });
  const verdict = { kind: "admit-unverified", soft: [{ class: "unmodelled", path: "", count: 1 }] } as const;
  const record: RequestRecord = {
    ...recordOf(parts, observed, null),
    verdict,
    outcome: "sent",
    edits: [],
    bodySha256: null,
  };
  return { record, body: observed.body, before: null, ownAnswer: null };
}

/** Differences to the run's plan and to what the host prepared are added to the verdict; they change nothing else (DG-42). */
function withComparison(
  { shapes, counters }: EngineParts,
  verdict: Verdict,
  { prepared, planned }: ObservedRequest,
  { request, join, opensOperation, body }: Read,
): Verdict {
  const moved = planned === undefined ? [] : comparePlanned(planned, body);
  if (prepared === undefined) return moved.length === 0 ? verdict : withSoft(verdict, moved);
  const { divergences, fresh, lost } = shapes.compare(join.lane.id, prepared, request, opensOperation);
  if (fresh !== null) counters.add("divergence_shape", { host: prepared.host, shape: fresh });
  counters.add("result_characters_lost", { host: prepared.host }, lost.characters);
  const found = [...moved, ...divergences];
  return found.length === 0 ? verdict : withSoft(verdict, found);
}

interface Preparation {
  readonly start: RepairStart;
  readonly ahead: AheadRepair;
}

/** Earlier repairs of this history are made again, then what is wrong now is repaired. */
function prepare(
  parts: EngineParts,
  read: Read,
  findings: readonly Finding[],
  context: JudgeContext,
  powerOf: PowerOf,
): Preparation {
  const { request, body } = read;
  const edits = editsToReplay(parts, read, powerOf);
  const again = edits.length === 0 ? null : applyToBody(body.bytes, request, edits, context);
  if (again === null) return withoutReplay(read, findings, context, powerOf);
  const left = again.findings.filter(({ rule }) => powerOf(rule) !== "refuted");
  const ahead = repairAhead(again.bytes, again.request, left, context, powerOf);
  // A replay that ends in a foreseen rejection is worse than none.
  if (ahead.outcome === "degraded") return withoutReplay(read, findings, context, powerOf);
  for (const rule of new Set(edits.map((edit) => edit.rule))) parts.counters.add("recipe_replayed", { rule });
  const start = { bytes: again.bytes, request: again.request, edits };
  return { start, ahead: { ...ahead, outcome: "repaired", edits: [...edits, ...ahead.edits] } };
}

function withoutReplay(
  { request, body: { bytes } }: Read,
  findings: readonly Finding[],
  context: JudgeContext,
  powerOf: PowerOf,
): Preparation {
  const start = { bytes, request, edits: [] };
  return { start, ahead: repairAhead(bytes, request, findings, context, powerOf) };
}

/** Observe mode, or a lane that once had to go out as it was: its prefix stays the host's own (DG-44). */
function untouched(bytes: Uint8Array, request: WireRequest, findings: readonly Finding[]): Preparation {
  const start = { bytes, request, edits: [] };
  return { start, ahead: { ...start, outcome: "sent", remaining: findings.map(({ rule }) => rule) } };
}

/**
 * A turn whose array was repaired is a repaired one, although its payload went out as the host encoded it. One that lost
 * a block of ours is degraded: nothing puts the block back.
 */
function doneTo(
  { prepared, mode }: ObservedRequest,
  { outcome, edits }: AheadRepair,
  broken: readonly Violation[],
): Pick<RequestRecord, "outcome" | "edits"> {
  const inArray = prepared?.edits ?? [];
  const all = [...inArray, ...edits];
  if (outcome !== "sent") return { outcome, edits: all };
  if (inArray.length > 0) return { outcome: "repaired", edits: all };
  return { outcome: broken.length > 0 && mode === "guard" ? "degraded" : "sent", edits: all };
}

/** @returns whether there is something about this request that a person may look for */
function account(parts: EngineParts, observed: ObservedRequest, record: RequestRecord, read: Read): boolean {
  if (isHostsOwn(parts, observed, record)) {
    parts.counters.add("request_behind_host", { api: record.api ?? "none" });
    return false;
  }
  countRequest(parts, record, read);
  return parts.captures.ofRequest(record, observed.body, observed.prepared) || record.outcome === "repaired";
}

/** What a host on this store has looked at and counted, and a gateway sends on as it came (GW-9). */
function isHostsOwn(
  { handovers }: EngineParts,
  { handover }: ObservedRequest,
  { lane, outcome }: RequestRecord,
): boolean {
  return handover === "take" && outcome === "sent" && lane !== null && handovers.sessionOf(lane) !== null;
}

function recordOf({ clock, handovers }: EngineParts, observed: ObservedRequest, read: Read | null) {
  const lane = read?.join.lane.id ?? null;
  return {
    id: randomUUID(),
    at: clock.now(),
    upstream: observed.upstream.name,
    api: read?.target.api ?? null,
    backend: read?.target.backend ?? observed.upstream.backend ?? "unknown",
    model: read?.request.model ?? null,
    session: lane === null ? null : (handovers.sessionOf(lane) ?? read?.session ?? lane),
    lane,
    bytes: observed.body.length,
    rows: read?.request.rows.length ?? 0,
  };
}

function countRequest({ counters }: EngineParts, record: RequestRecord, { join, request }: Read): void {
  const labels = { api: record.api ?? "none", backend: record.backend };
  counters.add("request", { ...labels, verdict: record.verdict.kind, outcome: record.outcome });
  counters.add("lane", { join: join.kind });
  for (const soft of softOf(record.verdict)) counters.add("divergence", { ...labels, class: soft.class }, soft.count);
  const hard = record.verdict.kind === "unsafe" ? record.verdict.hard : [];
  for (const rule of new Set(hard.filter((violation) => !isOwn(violation)).map(({ rule }) => rule)))
    counters.add("rule_predicted", { ...labels, rule });
  for (const name of volatileNamesIn(request.body)) counters.add("volatile_block", { ...labels, name });
  for (const { rule } of hard.filter(isOwn)) counters.add("own_block", { ...labels, rule });
  for (const rule of new Set(record.edits.map((edit) => edit.rule))) counters.add("repair", { ...labels, rule });
}
