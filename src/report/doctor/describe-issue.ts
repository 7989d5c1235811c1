/** The bundle of `doctor --issue`: Markdown that can be posted in public, without names, keys, paths or prompt text. */
import type { Diagnosis } from "./diagnosis.ts";
import { createPublicWords, type PublicWords } from "./public-words.ts";
import { redact, type Secrets } from "./redact.ts";
import { sumBy } from "./rule-report.ts";

/** GitHub refuses issue texts above 65,536 characters. */
const ISSUE_BYTES_MAX = 60_000;

export function describeIssue(version: string, diagnosis: Diagnosis, secrets: Secrets): string {
  const words = createPublicWords();
  const lines = [
    "### Holdfast report",
    "",
    `Version ${version}. Names, keys, paths and prompt text are left out; values like \`model-1a2b3c4d\` are hashes under a key`,
    "that was made for this report and thrown away.",
    ...describeChecks(diagnosis),
    ...describeDivergences(diagnosis, words),
    ...describeRules(diagnosis, words),
    ...describeCaptures(diagnosis, words),
    ...describeCounters(diagnosis, words),
    "",
  ];
  return cutLines(redact(lines.join("\n"), secrets));
}

/** Without advice and detail: those are for the person at this machine. */
function describeChecks({ checks }: Diagnosis): readonly string[] {
  return table(
    "Checks",
    ["check", "state", "finding"],
    checks.map(({ id, status, title }) => [id, status, title]),
  );
}

function describeDivergences({ counters }: Diagnosis, words: PublicWords): readonly string[] {
  const classes = sumBy(counters, "divergence", "class").map(([name, count]) => [
    words.label("class", name),
    String(count),
  ]);
  const shapes = sumBy(counters, "divergence_shape", "shape").map(([shape, count]) => [
    words.label("shape", shape),
    String(count),
  ]);
  return [
    ...table("Divergences", ["class", "count"], classes),
    ...table("Divergence shapes (host, api, model, classes, rows)", ["shape", "lanes"], shapes),
  ];
}

function describeRules({ rules }: Diagnosis, words: PublicWords): readonly string[] {
  const counted = rules.map((one) => [
    words.name("rule", one.rule),
    ...[one.predicted, one.confirmed, one.refuted, one.missed].map(String),
  ]);
  const places = rules.flatMap(({ rule, places }) =>
    places.map((place) => [
      words.name("rule", rule),
      place.power,
      words.name("upstream", place.upstream),
      words.name("backend", place.backend),
      words.model(place.model),
    ]),
  );
  return [
    ...table("Rules", ["rule", "predicted", "confirmed", "refuted", "missed"], counted),
    ...table("Power that rules gained or lost", ["rule", "power", "upstream", "backend", "model"], places),
  ];
}

function describeCaptures({ captures }: Diagnosis, words: PublicWords): readonly string[] {
  const rows = captures.map(({ reasons, upstream, api, backend, model, outcome, faults, rejected }) => [
    reasons.map((reason) => words.label("reason", reason)).join(" "),
    [words.name("upstream", upstream), words.name("api", api), words.name("backend", backend), words.model(model)].join(
      " ",
    ),
    words.label("outcome", outcome),
    faults
      .map(({ name, place, count }) => `${words.name("class", name)} at ${words.place(place)} (${count})`)
      .join(", "),
    rejected === null ? "" : `${Number(rejected.status)} ${words.name("rule", rejected.rule ?? "unknown")}`,
  ]);
  const title = "Newest degraded turns and rejections that no rule explains";
  return table(title, ["why", "where", "outcome", "faults", "answer"], rows);
}

function describeCounters({ counters }: Diagnosis, words: PublicWords): readonly string[] {
  const rows = counters.map(({ name, labels, count }) => [
    /^[a-z_.]{1,60}$/.test(name) ? name : words.name("counter", name),
    Object.entries(labels)
      .map(([label, value]) => `${words.labelName(label)}=${words.label(label, value)}`)
      .join(" "),
    String(count),
  ]);
  return table("Counters", ["counter", "labels", "count"], rows);
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return ["", `#### ${title}`, "", "none"];
  const lines = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`);
  return ["", `#### ${title}`, "", ...lines];
}

/** A table cell of Markdown ends at a bar or a line break. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}

function cutLines(text: string): string {
  if (Buffer.byteLength(text) <= ISSUE_BYTES_MAX) return text;
  const note = "\n(cut)\n";
  const kept = Buffer.from(text).subarray(0, ISSUE_BYTES_MAX - note.length);
  return kept.subarray(0, kept.lastIndexOf(0x0a)).toString() + note;
}
