/** What the counters say of the turns of all processes that use a store, as checks (DG-70). */
import type { Count } from "../../store/event-store.ts";
import { type DoctorCheck, ok, plural, warn } from "./doctor-check.ts";
import { type RuleReport, sumBy, sumOf } from "./rule-report.ts";

const REPORT = "post a report, so that it can be modelled: holdfast doctor --issue";

export function checkTurns(counts: readonly Count[], rules: readonly RuleReport[]): readonly DoctorCheck[] {
  return [checkOutcomes(counts), checkDivergences(counts), checkRules(counts, rules), checkOwnFailures(counts)];
}

function checkOutcomes(counts: readonly Count[]): DoctorCheck {
  const requests = sumOf(counts, "request");
  if (requests === 0) return ok("turns", "no request was judged yet");
  const saved = sumOf(counts, "retry_accepted");
  const degraded = Math.max(0, sumOf(counts, "request", { outcome: "degraded" }) - saved);
  const repaired = sumOf(counts, "request", { outcome: "repaired" });
  const title =
    `${plural(requests, "request")}: ${repaired} repaired before sending, ${saved} after a rejection, ` +
    `${degraded} degraded (sent although a rejection was foreseen)`;
  return degraded === 0 ? ok("turns", title) : warn("turns", title, `the rules and places are listed below; ${REPORT}`);
}

/** A divergence changes nothing on the wire. */
function checkDivergences(counts: readonly Count[]): DoctorCheck {
  const classes = sumBy(counts, "divergence", "class").map(([name, count]) => `${count} ${name}`);
  return ok("divergences", classes.length === 0 ? "no divergences" : `divergences: ${classes.join(", ")}`);
}

function checkRules(counts: readonly Count[], rules: readonly RuleReport[]): DoctorCheck {
  const missed = rules.reduce((sum, rule) => sum + rule.missed, 0);
  const unknown = ["400", "422"].reduce(
    (sum, status) => sum + sumOf(counts, "provider_rejection", { status, rule: "unknown" }),
    0,
  );
  const refuted = rules.flatMap(({ places }) => places).filter(({ power }) => power === "refuted").length;
  const title =
    `${plural(rules.length, "rule")} had something to say; ${plural(missed, "rejection")} not foreseen, ` +
    `${unknown} that no rule explains, ${plural(refuted, "place")} where a provider refuted a rule`;
  return missed + unknown === 0 ? ok("rules", title) : warn("rules", title, REPORT);
}

function checkOwnFailures(counts: readonly Count[]): DoctorCheck {
  const failures = sumOf(counts, "own_failure");
  const lost = sumOf(counts, "event_lost");
  const title = `${plural(failures, "failure")} of Holdfast itself, ${plural(lost, "record")} lost; no turn was`;
  return failures + lost === 0
    ? ok("own_failures", "no failure of Holdfast itself")
    : warn("own_failures", title, REPORT);
}
