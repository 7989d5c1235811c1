/** What every wire format has to keep. A new api hands in its samples and runs the same tests. */
import fc from "fast-check";
import { expect } from "vitest";
import { valueAt } from "../../src/lib/json-pointer.ts";
import type { JsonObject, WireRequest } from "../../src/wire/request.ts";
import type { WireFormat } from "../../src/wire/wire-format.ts";

export interface FormatSample {
  /** A history with a call, its result, words and a structure that nobody knows. */
  readonly request: JsonObject;
  /** Kinds of the blocks of the sample, in order. */
  readonly kinds: readonly string[];
  /** A finished answer with a call, as JSON and as a stream, that say the same. */
  readonly answer: JsonObject;
  readonly stream: string | Buffer;
  /** Of the stream; `text/event-stream` unless given. */
  readonly streamType?: string;
  readonly usage: object;
  /** An error body, and what is read of it. */
  readonly error: { readonly body: JsonObject; readonly message: string };
}

/** Every block is an index into the body: its path leads to the very value that it was read from. */
export function checkPlaces(format: WireFormat, { request, kinds }: FormatSample): void {
  const read = format.readRequest(request);
  const blocks = read.rows.flatMap((row) => row.blocks);
  expect(blocks.map((block) => block.kind)).toEqual(kinds);
  for (const block of blocks) expect(valueAt(request, block.path)).toBe(block.value);
  for (const row of read.rows) expect(valueAt(request, row.path)).toBe(row.value);
  expect(format.recognises(request)).toBe(true);
}

/** Rows whose values are the same objects are taken over as they are. */
export function checkKnownRows(format: WireFormat, { request }: FormatSample): void {
  const first = format.readRequest(request);
  const rowsName = first.rowsPath.slice(1);
  const grown = { ...request, [rowsName]: [...(request[rowsName] as unknown[]), { role: "user", content: "more" }] };
  const again = format.readRequest(grown, first.rows);
  first.rows.forEach((row, index) => void expect(again.rows[index]).toBe(row));
  expect(again.rows).toHaveLength(first.rows.length + 1);
}

/** Whatever a body holds, it is read, and what is not known stays opaque. */
export function checkTotal(format: WireFormat): void {
  const rowsName = format.readRequest({}).rowsPath.slice(1);
  const strange = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.record({ role: fc.jsonValue(), type: fc.jsonValue(), content: fc.jsonValue() }, { requiredKeys: [] })),
  );
  fc.assert(
    fc.property(strange, fc.object(), (rows, rest) => {
      const read: WireRequest = format.readRequest({ ...rest, [rowsName]: rows });
      expect(read.rows.length).toBeGreaterThanOrEqual(0);
      for (const row of read.rows) for (const block of row.blocks) expect(typeof block.path).toBe("string");
    }),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom("application/json", "text/event-stream", "application/vnd.amazon.eventstream", ""),
      (bytes, mediaType) => {
        expect(format.readResponse({ status: 200, mediaType, bytes })).toMatchObject({ rows: [] });
      },
    ),
    { numRuns: 300 },
  );
}

/** An answer reads the same as JSON and as a stream; its rows are what the client sends back. */
export function checkAnswers(format: WireFormat, sample: FormatSample): void {
  const { answer, stream, streamType = "text/event-stream", usage, error } = sample;
  const read = (status: number, mediaType: string, text: string | Buffer) =>
    format.readResponse({ status, mediaType, bytes: typeof text === "string" ? Buffer.from(text) : text });
  const whole = read(200, "application/json", JSON.stringify(answer));
  const streamed = read(200, streamType, stream);
  expect(whole.usage).toEqual(usage);
  expect(streamed.usage).toEqual(usage);
  expect(streamed.rows).toEqual(whole.rows);
  expect(whole.rows.length).toBeGreaterThan(0);
  const sentBack = format.readRequest({ [format.readRequest({}).rowsPath.slice(1)]: whole.rows });
  expect(sentBack.rows.some((row) => row.blocks.some((block) => block.kind === "call"))).toBe(true);
  const cut = read(200, streamType, stream.slice(0, Math.floor(stream.length / 2)));
  expect(cut.rows).toEqual([]);
  expect(read(400, "application/json", JSON.stringify(error.body)).error).toMatchObject({
    status: 400,
    message: error.message,
  });
}
