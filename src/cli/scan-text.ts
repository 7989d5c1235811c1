/** The result of `holdfast scan` as a person reads it: totals, then the worst sessions, then what to do. */
import { homedir } from "node:os";
import { lossOf, type ScannedBreak, type ScannedSession, type ScanResult } from "../transcripts/scan.ts";
import { type ScanTotals, toTotals } from "../transcripts/scan-document.ts";
import { adviseOnCause, describeCause, describeDamage, describeFinding } from "../transcripts/scan-words.ts";
import type { BreakCause } from "../transcripts/transcript.ts";
import { COLUMNS, paint, wrap } from "./output.ts";

/** More than this nobody reads at once; `--all` lists the rest. */
const sessionsShown = 10;
/** The first places name the kind; the JSON holds them all. */
const placesShown = 3;

interface ScanTextOptions {
  /** The folders and files that were looked at. */
  readonly places: readonly string[];
  readonly all: boolean;
}

export function describeScan(result: ScanResult, { places, all }: ScanTextOptions): string {
  if (result.sessions.length === 0) return describeNothing(places, result.skippedFiles);
  const notable = result.sessions.filter(isNotable);
  const shown = all ? result.sessions : notable.slice(0, sessionsShown);
  const paragraphs = [describeTotals(toTotals(result)), ...shown.map(describeSession)];
  if (notable.length > shown.length) {
    paragraphs.push(wrap(`${notable.length - shown.length} more sessions with breaks or faults; --all lists them.`));
  }
  paragraphs.push(...describeAdvice(result.sessions));
  return paragraphs.join("\n\n");
}

function describeNothing(places: readonly string[], skipped: number): string {
  if (places.length === 0) return wrap("No agent has left a session under your home. Name a session file or a folder.");
  const others = skipped === 0 ? "" : ` (${count(skipped, "other file")} there)`;
  return wrap(`No session found in ${places.map((place) => shortPath(place)).join(", ")}${others}.`);
}

function describeTotals(totals: ScanTotals): string {
  const { tokens, records } = totals;
  const bricked = totals.bricked === 0 ? "none bricked" : paint("red", `${totals.bricked} bricked`);
  const lines = [
    `${count(totals.sessions, "session")}, ${count(totals.turns, "turn")}, ${bricked}`,
    row(
      "input",
      `${short(tokens.cache_read)} from the cache, ${short(tokens.cache_creation)} written to it, ${short(tokens.input)} uncached`,
    ),
    row("output", short(tokens.output)),
    row("cost", describeCost(totals)),
  ];
  const paid = [...describeSideCalls(totals), ...describeSearches(totals)];
  if (paid.length > 0) lines.push(row("", `in it: ${paid.join("; ")}`));
  if (totals.turns_at_standard_price > 0) {
    const turns = count(totals.turns_at_standard_price, "turn");
    const words = `${turns} at another speed or tier counted at the standard price; --prices can name it as MODEL@fast`;
    lines.push(row("", words));
  }
  if (totals.unlisted_cost_usd > 0) {
    const words = "more by the agent's own count: compactions that it asks for itself, and titles, leave no row";
    lines.push(row("beside", `${usd(totals.unlisted_cost_usd)} ${words}`));
  }
  if (totals.breaks > 0) {
    const cost =
      totals.breaks_cost_usd === null ? "" : `, ${usd(totals.breaks_cost_usd)} more than with an intact cache`;
    lines.push(
      row("lost", `${count(totals.breaks, "cache break")}, ${short(totals.rewritten)} tokens paid again${cost}`),
    );
  }
  if (totals.findings > 0) lines.push(row("faults", `${count(totals.findings, "place")} that a provider refuses`));
  const repaired = records.recovered + records.lost + records.duplicates;
  if (repaired > 0) {
    lines.push(
      row(
        "files",
        `${records.recovered} damaged records recovered, ${records.lost} lost, ${count(records.duplicates, "duplicate")} left out`,
      ),
    );
  }
  return lines.join("\n");
}

function describeSideCalls({ side_calls: { calls, tokens, cost_usd } }: ScanTotals): readonly string[] {
  if (calls === 0) return [];
  const all = tokens.cache_read + tokens.cache_creation + tokens.input + tokens.output;
  const cost = cost_usd === null ? "" : `, ${usd(cost_usd)}`;
  return [`${count(calls, "call")} beside the turns (summaries, titles, advice), ${short(all)} tokens${cost}`];
}

function describeSearches({ web_searches }: ScanTotals): readonly string[] {
  return web_searches === 0 ? [] : [`${web_searches} web search${web_searches === 1 ? "" : "es"} of the provider`];
}

/** A person on a subscription pays something else, so the word says what the sum is. */
function describeCost({ cost_usd: costUsd, unpriced_models: unpriced }: ScanTotals): string {
  const names = unpriced.map((model) => model || "unnamed").join(", ");
  if (costUsd === null) return `not known: no price for ${names}`;
  return `${usd(costUsd)} by list price${unpriced.length === 0 ? "" : `, without ${names}, whose price is not known`}`;
}

function describeSession(session: ScannedSession): string {
  const cost = session.costUsd === null ? "cost not known" : usd(session.costUsd);
  const state = session.bricked ? `, ${paint("red", "bricked")}` : "";
  return [
    `${paint("bold", session.agent)}  ${count(session.turns, "turn")}, ${cost}${state}`,
    `  ${paint("dim", shortPath(session.path))}`,
    ...describeFaults(session),
    ...describeBreaks(session.breaks),
    ...describeDamages(session),
  ].join("\n");
}

function describeFaults(session: ScannedSession): readonly string[] {
  const lines = session.findings.slice(0, placesShown).map((finding) => {
    const file = finding.file === undefined ? "" : `${shortPath(finding.file, COLUMNS / 2)}: `;
    const place = finding.line === null ? file : `line ${finding.line}: `;
    const healed = finding.healedByHost ? "; the agent mends this itself when it goes on" : "";
    return item(`${place}${describeFinding(finding)}, ${finding.rule}${healed}`);
  });
  return withRest(lines, session.findings.length, "fault");
}

function describeBreaks(breaks: readonly ScannedBreak[]): readonly string[] {
  const byCause = Map.groupBy(breaks, ({ cause, detail }) => describeCause(cause, detail));
  const groups = [...byCause].sort(([, a], [, b]) => rewrittenIn(b) - rewrittenIn(a));
  const lines = groups.slice(0, placesShown).map(([words, found]) => {
    const places = found
      .slice(0, placesShown)
      .map(({ line, request }) => (line > 0 ? `line ${line}` : `turn ${request}`));
    const more = found.length > places.length ? ", …" : "";
    const times = found.length === 1 ? "once" : `${found.length} times`;
    const costs = found.map(({ costUsd }) => costUsd).filter((cost) => cost !== null);
    const cost = costs.length === 0 ? "" : `, ${usd(costs.reduce((sum, one) => sum + one, 0))}`;
    return item(
      `cache lost ${times} (${places.join(", ")}${more}): ${words}; ${short(rewrittenIn(found))} tokens${cost}`,
    );
  });
  return withRest(lines, groups.length, "other cause");
}

function describeDamages({ records }: ScannedSession): readonly string[] {
  const byKind = Map.groupBy(records.damage, ({ kind }) => kind);
  const lines = [...byKind].slice(0, placesShown).map(([kind, found]) => {
    const { line, file } = found[0]!;
    const place = line !== null ? ` at line ${line}` : file === undefined ? "" : ` in ${shortPath(file, COLUMNS / 2)}`;
    const more = found.length === 1 ? "" : ` and ${count(found.length - 1, "more place")}`;
    const loss = found.every(({ recovered }) => recovered) ? "read all the same" : "what is lost is counted";
    return item(`damaged file: ${describeDamage(kind)}${place}${more}; ${loss}`);
  });
  return withRest(lines, byKind.size, "other damage");
}

function describeAdvice(sessions: readonly ScannedSession[]): readonly string[] {
  const lossByCause = new Map<BreakCause, number>();
  for (const { cause, rewritten } of sessions.flatMap(({ breaks }) => breaks)) {
    lossByCause.set(cause, (lossByCause.get(cause) ?? 0) + rewritten);
  }
  const causes = [...lossByCause].sort(([, a], [, b]) => b - a).map(([cause]) => cause);
  const advice = [...new Set(causes.slice(0, placesShown).map(adviseOnCause))];
  if (sessions.some(({ bricked }) => bricked)) {
    advice.unshift(
      "A bricked session goes on when the agent runs through `holdfast start`: broken pairs are mended on the way out.",
    );
  }
  return advice.length === 0 ? [] : [["What to do", ...advice.map(item)].join("\n")];
}

function isNotable(session: ScannedSession): boolean {
  return session.findings.length > 0 || lossOf(session) > 0 || session.records.lost > 0;
}

function rewrittenIn(breaks: readonly ScannedBreak[]): number {
  return breaks.reduce((sum, { rewritten }) => sum + rewritten, 0);
}

function withRest(lines: readonly string[], total: number, noun: string): readonly string[] {
  return total > lines.length ? [...lines, item(`and ${count(total - lines.length, noun)}`)] : lines;
}

function row(name: string, words: string): string {
  return wrap(words, " ".repeat(10), `  ${name.padEnd(7)} `);
}

function item(words: string): string {
  return wrap(words, "    ", "  - ");
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

function short(tokens: number): string {
  if (tokens < 10_000) return String(tokens);
  return tokens < 10_000_000 ? `${Math.round(tokens / 1000)} k` : `${(tokens / 1e6).toFixed(1)} M`;
}

function usd(amount: number): string {
  return amount > 0 && amount < 0.01 ? "under $0.01" : `$${amount.toFixed(2)}`;
}

/** The home directory as `~`, and the end of what is still too long: it tells files apart. */
function shortPath(path: string, columnsMax = COLUMNS - 2): string {
  const home = homedir();
  const known = home.length > 1 && path.startsWith(home) ? `~${path.slice(home.length)}` : path;
  return known.length <= columnsMax ? known : `…${known.slice(known.length - columnsMax + 1)}`;
}
