/** Numbers of a corpus. The first of them can prove the gate wrong: how many turns that a positional guard refuses are really illegal. */
import type { ReplayedFixture } from "./replay.ts";

export interface CorpusStats {
  readonly fixtures: number;
  readonly would_refuse: number;
  readonly hard_and_would_refuse: number;
  /** Null where no fixture would be refused. */
  readonly hard_share_of_would_refuse: number | null;
  readonly hard: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly rules: Readonly<Record<string, number>>;
  readonly classes: Readonly<Record<string, number>>;
}

export function countCorpus(fixtures: readonly ReplayedFixture[]): CorpusStats {
  const refused = fixtures.filter(({ now }) => (now.would_refuse ?? null) !== null);
  const isHard = ({ verdict }: ReplayedFixture): boolean => verdict === "unsafe";
  const both = refused.filter(isHard).length;
  return {
    fixtures: fixtures.length,
    would_refuse: refused.length,
    hard_and_would_refuse: both,
    hard_share_of_would_refuse: refused.length === 0 ? null : both / refused.length,
    hard: fixtures.filter(isHard).length,
    verdicts: tally(fixtures.map(({ verdict }) => verdict)),
    rules: tally(fixtures.flatMap(({ rules }) => rules)),
    classes: tally(fixtures.flatMap(({ classes }) => classes)),
  };
}

function tally(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words.toSorted()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries(counts);
}
