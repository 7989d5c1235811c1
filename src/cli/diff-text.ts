/** The records of `holdfast diff` as a person reads them. */
import { describeCause, NOTHING_TO_DO } from "../report/diff/cause-words.ts";
import type { DiffRecord } from "../report/diff/diff-record.ts";
import { commonStart } from "../report/diff/volatile-text.ts";
import { COLUMNS, paint, wrap } from "./output.ts";

export interface PricedRecord extends DiffRecord {
  /** What the loss costs once; null for a model without a known price. */
  readonly lost_usd: number | null;
}

/** What moved, where, how it was and is, what it costs, what to do. */
export function describeDiff(record: PricedRecord, name: string): string {
  const { happened, advice } = describeCause(record);
  const head = describeVerdict(record);
  const lines = [wrap(`${name}: ${head}, ${paint("bold", record.cause)}: ${happened}`, "  ", "")];
  if (record.byte !== null) lines.push(...describePlace(record));
  lines.push(field("cost", describeCost(record)));
  if (record.hard.length > 0) {
    lines.push(
      field(
        "400",
        `the provider rejects this request: thinking in it is bound to the old prefix (${record.hard.join(", ")})`,
      ),
    );
  }
  if (advice !== NOTHING_TO_DO) lines.push(field("to do", advice));
  for (const { cause, path } of record.also) lines.push(field("also", `${cause} at ${path}`));
  return lines.join("\n");
}

function describeVerdict({ prefix_kept: kept, certain }: DiffRecord): string {
  if (kept) return paint("green", certain ? "prefix kept" : "prefix kept, as far as is known");
  return certain ? paint("red", "prefix broken") : paint("yellow", "prefix perhaps broken");
}

const LABEL_WIDTH = 10;

function field(label: string, text: string): string {
  return wrap(text, " ".repeat(LABEL_WIDTH), `  ${label}`.padEnd(LABEL_WIDTH));
}

/** Of a whole session: how often the prefix broke, and how much that cost. */
export function describeSession(records: readonly PricedRecord[]): string {
  const broken = records.filter((record) => !record.prefix_kept);
  const tokens = broken.reduce((sum, record) => sum + record.rewritten.tokens, 0);
  const dollars = broken.reduce((sum, record) => sum + (record.lost_usd ?? 0), 0);
  const counts = Map.groupBy(broken, ({ cause }) => cause);
  const causes = [...counts].map(([cause, of]) => `${cause} ${of.length}`).join(", ");
  const steps = `${records.length} step${records.length === 1 ? "" : "s"}`;
  if (broken.length === 0) return wrap(`${steps}: the prefix is kept in all of them`);
  return wrap(
    `${steps}: ${broken.length} broke the prefix (${causes}), about ${tokens} tokens paid again${inDollars(dollars)}`,
  );
}

function describePlace({ path, byte, changed_byte: changed, before, after }: DiffRecord): readonly string[] {
  const inside = changed === byte ? "" : `, first other byte ${changed}`;
  const lines = [before, after].map((value) => (value === null ? null : toLine(value)));
  const equal = commonStart(lines[0] ?? "", lines[1] ?? "");
  // On a narrow terminal the place that moved must not be what is cut off.
  const from = equal > ROOM / 2 ? equal - Math.floor(ROOM / 3) : 0;
  return [
    field("where", `${path === "" ? "(the whole body)" : path} at byte ${byte}${inside}`),
    field("before", showLine(lines[0]!, from)),
    field("after", showLine(lines[1]!, from)),
  ];
}

const ROOM = COLUMNS - LABEL_WIDTH;

function showLine(line: string | null, from: number): string {
  if (line === null) return paint("dim", "(nothing)");
  const shown = from > 0 && line.length > ROOM ? `…${line.slice(from + 1)}` : line;
  return shown.length <= ROOM ? shown : `${shown.slice(0, ROOM - 1)}…`;
}

/** In one line: a line break or a control character of a prompt must not reach a terminal. */
function toLine(value: string): string {
  return value.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) =>
    character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function describeCost(record: PricedRecord): string {
  const { prefix_kept: kept, certain, kept: left, rewritten, lost_usd: dollars, calibrated } = record;
  const measure = calibrated ? "tokens, by the usage reported" : "tokens, estimated";
  if (kept) return `none: about ${left.tokens} ${measure}, stay in the cache`;
  if (rewritten.bytes === 0)
    return `none: the request only got shorter; about ${left.tokens} ${measure}, are left of it`;
  const price = dollars === null ? "" : inDollars(dollars);
  const verb = certain ? "are" : "may be";
  return `about ${rewritten.tokens} ${measure}, ${verb} read again at the full price${price}; ${left.tokens} stay in the cache`;
}

function inDollars(dollars: number): string {
  if (dollars === 0) return "";
  return dollars < 0.001 ? " (less than $0.001)" : ` ($${dollars.toFixed(3)})`;
}
