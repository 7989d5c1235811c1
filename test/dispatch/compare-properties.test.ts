/** What a host prepared against what random hosts make of it: names for differences, and never anything else. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readRequest } from "../../src/dispatch/document.ts";
import { SOFT_CLASSES } from "../../src/dispatch/soft-class.ts";
import { type BodyJudgement, judgeBody } from "../../src/engine/judge-body.ts";
import type { Row } from "../../src/wire/request.ts";
import { legalHistory as anthropicHistory } from "./anthropic-history.ts";
import { legalHistory as chatHistory } from "./chat-history.ts";
import { legalInput } from "./responses-history.ts";

type Judged = Extract<BodyJudgement, { kind: "judged" }>;
type Body = { readonly [member: string]: unknown };
type Rows = readonly object[];

/** Set HOLDFAST_TEST_RUNS to try more than the default on a free machine. */
const numRuns = Number(process.env.HOLDFAST_TEST_RUNS ?? 4_000) / 4;

interface Format {
  readonly api: "anthropic-messages" | "openai-completions" | "openai-responses";
  readonly rows: "messages" | "input";
  readonly bodies: fc.Arbitrary<Body>;
}

const FORMATS: readonly Format[] = [
  { api: "anthropic-messages", rows: "messages", bodies: anthropicHistory as fc.Arbitrary<Body> },
  { api: "openai-completions", rows: "messages", bodies: chatHistory as unknown as fc.Arbitrary<Body> },
  { api: "openai-responses", rows: "input", bodies: legalInput as unknown as fc.Arbitrary<Body> },
];

/** What hosts do to rows on their way to the socket. */
const mutation: fc.Arbitrary<(rows: Rows) => Rows> = fc.oneof(
  at((rows, index, to) => rows.toSpliced(index, 1).toSpliced(to, 0, rows[index]!)),
  at((rows, index) => rows.toSpliced(index, 1)),
  at((rows, index) => rows.toSpliced(index, 0, rows[index]!)),
  at((rows, index) => rows.toSpliced(index, 0, { role: "user", content: "<reminder>Be brief.</reminder>" })),
  at((rows, index) => rows.toSpliced(index, 0, { role: "system", content: "A note." })),
  at((rows, index) => rows.toSpliced(index, 2, merged(rows[index]!, rows[index + 1]))),
  at((rows) => spelled(rows, renamed)),
  at((rows) => spelled(rows, (text) => text.replaceAll("result of", "[dropped 1]"))),
  at((rows, index) => rows.with(index, spelled([rows[index]!], (text) => text.replaceAll('"text"', '"future"'))[0]!)),
  at((rows, index) => rows.with(index, withoutThinking(rows[index]!))),
  at((rows) => rows.slice(rows.length >> 1)),
);

function at(change: (rows: Rows, index: number, to: number) => Rows) {
  return fc.tuple(fc.nat(), fc.nat()).map(([index, to]) => (rows: Rows) => {
    return rows.length === 0 ? rows : change(rows, index % rows.length, to % rows.length);
  });
}

function merged(row: object, next: object = {}): object {
  const contents = [row, next].flatMap((one) => ("content" in one ? [one.content] : []));
  const isText = contents.every((content) => typeof content === "string");
  return { ...row, content: isText ? contents.join("\n") : contents.flat() };
}

function spelled(rows: Rows, change: (text: string) => string): Rows {
  return JSON.parse(change(JSON.stringify(rows))) as Rows;
}

/** As OMP names an id that occurs again. */
function renamed(text: string): string {
  return text.replaceAll(/"(call_\d[^"]*)"/g, '"$1_dup1"');
}

/** As hosts send the reply of another model. */
function withoutThinking(row: object): object {
  const content = "content" in row && Array.isArray(row.content) ? (row.content as ({ type?: string } | null)[]) : null;
  return content === null ? row : { ...row, content: content.filter((part) => part?.type !== "thinking") };
}

function judge(api: Format["api"], body: Body, prepared: readonly Row[] | null): Judged {
  const judged = judgeBody(Buffer.from(JSON.stringify(body)), { api, prepared });
  if (judged.kind !== "judged") throw new Error(judged.kind);
  return judged;
}

const hardOf = ({ verdict }: Judged) => (verdict.kind === "unsafe" ? verdict.hard : []);

test.each(FORMATS)(
  "DG-2 DG-5 DG-50 $api: whatever a host makes of its history, a comparison only names it",
  ({ api, rows, bodies }) => {
    const classes: ReadonlySet<string> = new Set(SOFT_CLASSES);
    fc.assert(
      fc.property(bodies, fc.array(mutation, { minLength: 1, maxLength: 3 }), (body, mutations) => {
        const prepared = readRequest(api, body).rows;
        const sent = { ...body, [rows]: mutations.reduce((list, change) => change(list), body[rows] as Rows) };
        const alone = judge(api, sent, null);
        const compared = judge(api, sent, prepared);
        const soft = compared.verdict.kind === "admit" ? [] : compared.verdict.soft;
        for (const divergence of soft) expect(classes).toContain(divergence.class);
        expect(hardOf(compared)).toEqual(hardOf(alone));
        expect(compared.outcome).toBe(alone.outcome);
        expect(compared.edits).toEqual(alone.edits);
      }),
      { numRuns },
    );
  },
);

test.each(FORMATS)(
  "DG-50 $api: a history is no different from itself, and one change has one name",
  ({ api, rows, bodies }) => {
    fc.assert(
      fc.property(bodies, (body) => {
        const prepared = readRequest(api, body).rows;
        const classesOf = (list: Rows) => {
          const { verdict } = judge(api, { ...body, [rows]: list }, prepared);
          return verdict.kind === "admit" ? [] : verdict.soft.map((one) => one.class);
        };
        const list = body[rows] as Rows;
        expect(classesOf(list)).toEqual([]);
        expect(classesOf([...list, { role: "user", content: "<reminder>Be brief.</reminder>" }])).toEqual([
          "row_extra",
        ]);
        const hasCalls = JSON.stringify(list).includes('"call_');
        expect(classesOf(spelled(list, renamed))).toEqual(hasCalls ? ["id_renamed"] : []);
      }),
      { numRuns: numRuns / 4 },
    );
  },
);
