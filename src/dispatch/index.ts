/** `holdfast/dispatch`: the pure gate. A body becomes a request, a request a judgement, a judgement a repair. */
export { compareHistories } from "./compare.ts";
export { parseBody, readRequest } from "./document.ts";
export { type Finding, type Judgement, judge } from "./judge.ts";
export { type Repair, repair } from "./repair.ts";
export type { Evidence, Fault, JudgeContext, RepairKind, Rule } from "./rule.ts";
export { defaultBackend, issuerOf, RULES, rulesOf } from "./rules/rules.ts";
export { SOFT_CLASSES, type SoftClass } from "./soft-class.ts";
export { ThinkingMemory } from "./thinking-memory.ts";
export type { Divergence, Verdict, Violation } from "./verdict.ts";
export { type ToolWindow, windowsOf } from "./window.ts";
