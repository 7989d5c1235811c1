/** Ratios of two sides each, one contest after the other. */
import { race, type Side } from "./race.ts";
import { detailOf, type Measurement } from "./report.ts";

export interface Contest {
  readonly id: string;
  readonly name: string;
  /** The ratio is the time of one operation of `left` over one of `right`. */
  readonly left: Side;
  readonly right: Side;
  readonly min?: number;
  readonly max?: number;
}

export async function runContests(contests: readonly Contest[], rounds: number): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (const { left, right, ...contest } of contests) {
    const both = await race({ left, right }, { rounds, warmUps: Math.ceil(rounds / 4) });
    measured.push({ ...contest, value: both.ratio("left", "right"), detail: detailOf(both, "left", "right") });
  }
  return measured;
}
