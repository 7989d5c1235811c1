/** Everything that a doctor found, for its three ways to say it: text, JSON, and a report for the public. */
import type { Count } from "../../store/event-store.ts";
import type { DoctorCheck } from "./doctor-check.ts";
import type { RuleReport } from "./rule-report.ts";
import type { RecordedCapture } from "./store-records.ts";

export interface Diagnosis {
  readonly checks: readonly DoctorCheck[];
  /** Sums over all processes that used the store, since it was made. */
  readonly counters: readonly Count[];
  readonly rules: readonly RuleReport[];
  /** Degraded turns and rejections that no rule explains, the newest first. */
  readonly captures: readonly RecordedCapture[];
  /** The environment is broken: a runtime that is too old, a store that can't be opened. */
  readonly isBroken: boolean;
}
