/** What an answer teaches: about rules, about seals, about a repair that the provider has taken; and what it cost. */
import { cacheLifetimeMs } from "../cache/lifetime.ts";
import { madeIn, makesResult } from "../dispatch/made-results.ts";
import { boundThinking } from "../dispatch/models.ts";
import { recipesFor } from "../dispatch/recipe.ts";
import { issuerOf } from "../dispatch/rules/rules.ts";
import { formatOf } from "../wire/formats.ts";
import type { JsonObject } from "../wire/request.ts";
import { bodySha256 } from "./body-sha256.ts";
import type { CheckedRequest, ObservedResponse, ResponseRecord } from "./engine.ts";
import { type EngineParts, type Pending, readAnswer } from "./engine-parts.ts";
import { pathIn, redactedMessage, rulesBehind } from "./explain.ts";
import { assumedBackend } from "./request-target.ts";
import { learnFrom } from "./rule-power.ts";

export function observeResponse(
  parts: EngineParts,
  checked: CheckedRequest,
  response: ObservedResponse,
): ResponseRecord {
  const { status } = response;
  const pending = parts.pending.get(checked);
  if (pending === undefined) return { status, usage: null, rejection: null };
  const { target, body } = pending.read;
  const { id: responseId, usage, error, rows } = readAnswer(target, response);
  if (rows.length > 0) rememberSeals(parts, pending, rows);
  const named = error === null ? [] : rulesBehind(target.api, error);
  for (const { event, rule, power } of learnFrom(pending, status, named)) {
    if (event !== null) parts.counters.add(`rule_${event}`, { rule: rule.id });
    if (power !== null) parts.powers.set(rule, pending.place, power);
  }
  if (status < 300) keepRepair(parts, checked, pending);
  if (status < 300 && pending.own !== null) parts.own.accepted(pending.own, responseId);
  const rule = named.find((one) => pending.findings.some((finding) => finding.rule === one)) ?? named[0] ?? null;
  const id = rule?.id ?? null;
  if (status >= 400 && status < 500) parts.captures.ofRejection(checked.record, body.bytes, { status, rule: id });
  if (error === null || status < 400) return { status, usage, rejection: null };
  parts.counters.add("provider_rejection", { status: String(status), rule: id ?? "unknown" });
  const hashes = checked.record.bodySha256 ?? bodySha256(body.bytes, checked.body);
  const message = redactedMessage(error.message);
  return { status, usage, rejection: { rule: id, path: pathIn(error.message), message, bodySha256: hashes } };
}

/** What the provider saw is what its seals are bound to: for a repaired request, the repaired bytes. */
function rememberSeals(
  { memory, issuers }: EngineParts,
  { read: { target, namespace }, sent }: Pending,
  rows: readonly JsonObject[],
): void {
  const format = formatOf(target.api);
  if (format === undefined) return;
  const issuer = { name: issuerOf(assumedBackend(target)), namespace, model: sent.model };
  issuers.keep(issuer, memory.observe({ issuer, request: sent, rows, format }));
}

/** The provider's cache holds the repaired bytes now, so the lane stays with them (DG-25, DG-44). */
function keepRepair(parts: EngineParts, checked: CheckedRequest, pending: Pending): void {
  const { recipes, reader, counters } = parts;
  const { read, repairing, tried } = pending;
  if (checked.body === read.body.bytes) return;
  keepMadeResults(parts, checked, pending);
  for (const recipe of recipesFor(repairing, read.join.lane.chain)) recipes.record(recipe);
  if (tried.length === 0) return;
  counters.add("retry_accepted");
  reader.lanes.unlatch(read.join.lane);
}

/** Until the cache is gone, the made-up results of this request stay what they are (DG-26). */
function keepMadeResults({ made, clock }: EngineParts, { record }: CheckedRequest, { read, sent }: Pending): void {
  const rule = record.edits.find(makesResult)?.rule;
  if (rule === undefined) return;
  const { model } = read.request;
  const lifetimeMs = cacheLifetimeMs(sent, assumedBackend(read.target));
  if (lifetimeMs === 0 && !boundThinking(model)) return;
  const { hashes } = read.join.lane.chain;
  const places = madeIn(sent, read.request).map(({ row, block }) => ({ anchor: hashes[row]!, block }));
  made.keep(places, { rule, model, until: clock.now() + lifetimeMs });
}
