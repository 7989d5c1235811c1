/** What `holdfast replay` found, as a person reads it. */
import type { CorpusStats } from "../corpus/corpus-stats.ts";
import type { CorpusReplay } from "../corpus/replay.ts";
import type { CorpusUpdate } from "../corpus/update-corpus.ts";
import { list, paint, wrap } from "./output.ts";

export function describeReplay({ fixtures, findings, unusable }: CorpusReplay): string {
  const lines = findings.map(({ id, message, file, line }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return `${place}: ${paint("red", id)}\n${wrap(message, "  ")}`;
  });
  const looked = `${count(fixtures.length, "fixture")} replayed`;
  const bad = unusable.length === 0 ? "" : `, ${unusable.length} unusable`;
  const isFine = findings.length + unusable.length === 0;
  const found = isFine ? paint("green", "all as recorded") : count(findings.length, "finding");
  return `${[...lines, `${looked}${bad}: ${found}`].join("\n")}\n`;
}

export function describeUpdate({ added, changed, classes }: CorpusUpdate): string {
  const lines = [
    ...added.map((id) => `added ${id}`),
    ...changed.map((id) => `recorded anew ${id}`),
    ...classes.map((name) => `accepted the class ${name}`),
  ];
  return lines.length === 0 ? "nothing to update\n" : `${lines.join("\n")}\n`;
}

export function describeStats(stats: CorpusStats): string {
  const { would_refuse: refused, hard_and_would_refuse: both, hard_share_of_would_refuse: share } = stats;
  const ratio =
    share === null ? "no fixture would be refused" : `${both} of ${refused} (${(share * 100).toFixed(1)} %)`;
  const counts = [stats.verdicts, stats.rules, stats.classes].flatMap((counted) =>
    Object.entries(counted).map(([name, times]) => [name, String(times)] as const),
  );
  return `${wrap(`hard and would_refuse ÷ would_refuse: ${ratio}`)}\n${list(counts)}\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
