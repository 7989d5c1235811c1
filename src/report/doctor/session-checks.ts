/** What is wrong with the plans of sessions, as checks: PI-17 and RA-11. */
import type { Count } from "../../store/event-store.ts";
import { type DoctorCheck, fail, ok, plural, warn } from "./doctor-check.ts";
import { sumBy, sumOf } from "./rule-report.ts";
import type { SessionSummary } from "./store-records.ts";

export function checkSessions(sessions: readonly SessionSummary[], counts: readonly Count[]): readonly DoctorCheck[] {
  return [checkSplitEpochs(sessions), checkUnreadable(sessions), checkCallers(sessions), checkPinnedRuns(counts)];
}

/** A person needs a few names to begin with. */
const NAMES_MAX = 5;

function checkSplitEpochs(sessions: readonly SessionSummary[]): DoctorCheck {
  const split = sessions.filter((session) => session.split.length > 0);
  if (split.length === 0) return ok("plan_epochs", "every epoch has one prefix hash");
  return fail(
    "plan_epochs",
    `${plural(split.length, "session")} with two prefix hashes in one epoch`,
    "a worker sends a prefix that was not planned: see holdfast plan epochs SESSION, and update all workers",
    namesOf(split),
  );
}

function checkUnreadable(sessions: readonly SessionSummary[]): DoctorCheck {
  const unreadable = sessions.filter((session) => session.unreadable > 0);
  const plans = unreadable.reduce((sum, session) => sum + session.unreadable, 0);
  if (plans === 0) return ok("plan_records", "every plan can be read");
  return warn(
    "plan_records",
    `${plural(plans, "plan")} of ${plural(unreadable.length, "session")} can't be read; the next epoch took over`,
    "holdfast plan epochs SESSION names the field; another program or version wrote it",
    namesOf(unreadable),
  );
}

/** One epoch per session is what a stable prefix looks like. */
function checkCallers(sessions: readonly SessionSummary[]): DoctorCheck {
  if (sessions.length === 0) return ok("plan_callers", "no session was planned yet");
  const epochs = sessions.reduce((sum, session) => sum + session.epochs, 0);
  const alternating = sessions.filter((session) => session.returns > 0);
  const title =
    `${(epochs / sessions.length).toFixed(1)} epochs per session (target 1.0) over ${plural(sessions.length, "session")}; ` +
    `in ${alternating.length} callers alternate`;
  if (alternating.length === 0) return ok("plan_callers", title);
  return warn(
    "plan_callers",
    title,
    "callers with different tools, models or texts share a session, and each turn pays for the whole prefix: give each its own",
    namesOf(alternating),
  );
}

/** A pinned run finishes on its own plan by design; that its authority has changed is for a person to know. */
function checkPinnedRuns(counts: readonly Count[]): DoctorCheck {
  const runs = sumOf(counts, "plan_would_rotate");
  if (runs === 0) return ok("plan_pins", "no pinned run would have rotated");
  const reasons = sumBy(counts, "plan_would_rotate", "reason").map(([reason, count]) => `${count} ${reason}`);
  const title = `${plural(runs, "time")} a pinned run went on where a new one would have rotated: ${reasons.join(", ")}`;
  if (sumOf(counts, "plan_would_rotate", { reason: "run_authority_changed" }) === 0) return ok("plan_pins", title);
  return warn(
    "plan_pins",
    title,
    "these runs finish with the grants they began with; where a revocation must hold at once, start runs with strictRevocation",
  );
}

function namesOf(sessions: readonly SessionSummary[]): string {
  const names = sessions.slice(0, NAMES_MAX).map(({ session }) => session);
  const more = sessions.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
