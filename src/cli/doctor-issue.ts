/** The bundle of `doctor --issue`: Markdown that can be posted in public, without names, keys, paths or prompt text. */
import { homedir, hostname, userInfo } from "node:os";
import type { Diagnosis } from "./doctor-checks.ts";

/** GitHub refuses issue texts above 65,536 characters. */
const ISSUE_BYTES_MAX = 60_000;

/** What must not be seen: replaced wherever it stands. */
export interface Secrets {
  readonly home: string;
  readonly user: string;
  readonly machine: string;
}

export function describeIssue(version: string, { checks, counters }: Diagnosis, secrets: Secrets): string {
  const lines = [
    "### Holdfast report",
    "",
    `Version ${version}. Paths, names, keys and prompt text are removed.`,
    "",
    "| check | state | finding |",
    "|---|---|---|",
    ...checks.map(
      ({ id, status, title, advice }) =>
        `| ${id} | ${status} | ${cell(advice === null ? title : `${title}: ${advice}`)} |`,
    ),
    "",
    "| counter | labels | count |",
    "|---|---|---|",
    ...counters.map(({ name, labels, count }) => `| ${name} | ${cell(describeLabels(labels))} | ${count} |`),
    "",
  ];
  return cutLines(redact(lines.join("\n"), secrets));
}

export function describeLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

export function ownSecrets(): Secrets {
  return { home: homedir(), user: userInfo().username, machine: hostname() };
}

/** Words that look like a credential: the prefixes of the providers, and anything long without a space or a path in it. */
const KEYS = /\b(?:sk|pk|rk|gsk|xai|AIza|ghp|gho|github_pat|AKIA|ya29|eyJ)[-_A-Za-z0-9.]{8,}|\b[A-Za-z0-9+_=-]{40,}/g;

export function redact(text: string, { home, user, machine }: Secrets): string {
  let shown = text.replace(KEYS, "[key]").replace(/\/\/[^\s/@|]+@/g, "//[user]@");
  for (const [secret, mark] of [
    [home, "~"],
    [user, "[user]"],
    [machine, "[machine]"],
  ] as const) {
    if (secret.length > 1) shown = shown.replaceAll(secret, mark);
  }
  return shown;
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
