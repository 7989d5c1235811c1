/** `holdfast`: the public names. What is not listed here or in a subpath of the package may change at any time. */

export type { SoftClass } from "./dispatch/soft-class.ts";
export type { Divergence, Verdict, Violation } from "./dispatch/verdict.ts";
export { createEngine, type EngineOptions } from "./engine/create-engine.ts";
export type {
  CheckedRequest,
  Counter,
  Engine,
  Mode,
  ObservedRequest,
  ObservedResponse,
  Outcome,
  RequestRecord,
  ResponseRecord,
} from "./engine/engine.ts";
export type { InjectedBlock, Injection, InjectionSession } from "./engine/injection.ts";
export { type BodyJudgement, type JudgeHints, judgeBody } from "./engine/judge-body.ts";
export { canonicalBytes, canonicalJson, canonicalSha256 } from "./lib/canonical-json.ts";
export { HoldfastError, isHoldfastError } from "./lib/error.ts";
export type { Sha256 } from "./lib/sha256.ts";
export type { EventStore } from "./store/event-store.ts";
export { openStore } from "./store/open-store.ts";
export type { Api, Backend, Upstream } from "./wire/api.ts";
export type { RequestEdit } from "./wire/request-edit.ts";
export type { Usage } from "./wire/response.ts";
