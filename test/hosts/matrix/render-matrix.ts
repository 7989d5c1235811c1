/** The matrix as Markdown. A cell says yes only where every test that stands for it passed. */
import { apis, foreword, outside, places, reasons } from "./known-facts.ts";
import type { ProofResult } from "./results.ts";
import { type Host, hosts, type Stage, stages } from "./stages.ts";

export interface Matrix {
  readonly text: string;
  /** Cells with neither a test nor a reason, or with both, or with a test that failed: the page must not be written. */
  readonly problems: readonly string[];
}

export function renderMatrix(results: readonly ProofResult[]): Matrix {
  const names = Object.keys(stages) as Stage[];
  const cells = names.map((stage) => hosts.map((host) => cellOf(host, stage, results)));
  const rows = names.map((stage, row) => [`**${stage}**: ${stages[stage]}`, ...cells[row]!.map(({ text }) => text)]);
  const text = [
    foreword,
    "## Where it stands",
    table(
      ["", ...hosts],
      places.map((place) => [place.what, ...hosts.map((host) => place.in[host])]),
    ),
    "## Every API",
    "Judged: read, repaired where that is proven for the server, and counted. Passed on: the same bytes, not read. Where that is counted, it is as `request_unread`.",
    table(["", "Pi", "OMP", "OpenCode, AI SDK, fetch"], apis),
    "## What is tested",
    "Each yes is the result of tests that run the real host against the [simulated provider](simulated-provider.md). The number is that of a reason below.",
    table(["", ...hosts], rows),
    "## What does not apply, and why",
    table(
      ["", ""],
      reasons.map(({ hosts: named, stage, why }, index) => [`${index + 1}. ${named.join(", ")}: ${stage}`, why]),
    ),
    "## Not in the table",
    table(["", ""], outside),
  ].join("\n\n");
  return { text: `${text}\n`, problems: cells.flat().flatMap(({ problem }) => problem ?? []) };
}

interface Cell {
  readonly text: string;
  readonly problem?: string;
}

function cellOf(host: Host, stage: Stage, results: readonly ProofResult[]): Cell {
  const shown = results.filter((result) => result.host === host && result.stage === stage);
  const reason = reasons.findIndex((known) => known.stage === stage && known.hosts.includes(host));
  const place = `${host}, ${stage}`;
  if (shown.length === 0) {
    return reason < 0 ? { text: "", problem: `${place}: no test and no reason.` } : { text: `– (${reason + 1})` };
  }
  if (reason >= 0) return { text: "", problem: `${place}: a test, and a reason why there is none.` };
  const failed = shown.find(({ passed }) => !passed);
  if (failed !== undefined) return { text: "", problem: `${place}: a test in ${failed.suite} did not pass.` };
  // In an order of its own: that of the results is the order in which tests ended.
  const names = Object.entries(apiNames).filter(([api]) => shown.some((result) => result.api === api));
  return { text: names.length > 0 ? `yes: ${names.map(([, name]) => name).join(", ")}` : "yes" };
}

const apiNames: Readonly<Record<string, string>> = {
  "anthropic-messages": "Messages",
  "openai-completions": "Chat",
  "openai-responses": "Responses",
  "azure-openai-responses": "Azure",
  "google-generative-ai": "Gemini",
  "google-vertex": "Vertex",
  "bedrock-converse-stream": "Bedrock",
  "mistral-conversations": "Mistral",
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
