/** What the three steps of an exchange share: looking at a request, trying it once more, looking at its answer. */
import type { Finding } from "../dispatch/judge.ts";
import type { JudgeContext, Rule } from "../dispatch/rule.ts";
import { issuerOf } from "../dispatch/rules/rules.ts";
import type { ThinkingMemory } from "../dispatch/thinking-memory.ts";
import type { Clock } from "../lib/clock.ts";
import { formatOf } from "../wire/formats.ts";
import type { WireRequest } from "../wire/request.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import { NOTHING_SAID, type WireResponse } from "../wire/response.ts";
import type { Captures } from "./capture.ts";
import type { Counters } from "./counters.ts";
import type { CheckedRequest, ObservedResponse } from "./engine.ts";
import type { Handovers } from "./handovers.ts";
import type { IssuerBook } from "./issuer-book.ts";
import type { PowerOf } from "./judge-request.ts";
import type { MadeResults } from "./made-results.ts";
import type { OwnBlocks, OwnCheck } from "./own-blocks.ts";
import type { RecipeBook } from "./recipe-book.ts";
import type { ReadRequest, RequestReader } from "./request-reader.ts";
import { assumedBackend, type RequestTarget } from "./request-target.ts";
import type { RulePlace, RulePowers } from "./rule-power.ts";
import type { ShapeWatch } from "./shape-watch.ts";

export interface EngineParts {
  readonly counters: Counters;
  readonly powers: RulePowers;
  readonly reader: RequestReader;
  readonly recipes: RecipeBook;
  readonly made: MadeResults;
  readonly handovers: Handovers;
  readonly shapes: ShapeWatch;
  readonly own: OwnBlocks;
  readonly captures: Captures;
  readonly memory: ThinkingMemory;
  readonly issuers: IssuerBook;
  readonly clock: Clock;
  readonly pending: WeakMap<CheckedRequest, Pending>;
}

export type Read = Extract<ReadRequest, { kind: "read" }>;

export interface RepairStart {
  readonly bytes: Uint8Array;
  readonly request: WireRequest;
  readonly edits: readonly RequestEdit[];
}

/** What is known of a request between looking at it and its answer. */
export interface Pending {
  readonly read: Read;
  /** What repairs begin with: the host's request with its earlier repairs made again. */
  readonly start: RepairStart;
  /** The request as it was sent: another one only where it was repaired. */
  readonly sent: WireRequest;
  readonly place: RulePlace;
  readonly powerOf: PowerOf;
  readonly findings: readonly Finding[];
  /** Rules that fired on the bytes that were sent: an answer of 2xx refutes them. */
  readonly predicted: readonly Rule[];
  /** Rules whose repair this request tries after a rejection: an answer of 2xx proves them. */
  readonly tried: readonly Rule[];
  /** Rules whose faults the sent bytes no longer have. */
  readonly repairing: readonly Rule[];
  /** What was found of injected blocks; null for a session without any. */
  readonly own: OwnCheck | null;
}

export function contextOf({ memory }: EngineParts, { target, namespace }: Read): JudgeContext {
  const backend = assumedBackend(target);
  return { backend, issuer: issuerOf(backend), namespace, memory };
}

export function readAnswer(target: RequestTarget, response: ObservedResponse): WireResponse {
  const mediaType = (response.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  const read = formatOf(target.api)?.readResponse({ status: response.status, mediaType, bytes: response.body });
  return read ?? NOTHING_SAID;
}
