import { expect, test } from "vitest";
import { readSseEvents } from "./sse.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  [
    "named events",
    'event: ping\ndata: {}\n\ndata: {"a":1}\n\n',
    [
      ["ping", "{}"],
      [null, '{"a":1}'],
    ],
  ],
  ["carriage returns and comments", ": hi\r\nevent: a\r\ndata: x\r\n\r\n", [["a", "x"]]],
  ["data over two lines", "data: x\ndata: y\n\n", [[null, "x\ny"]]],
  ["a byte order mark", "\uFEFFdata: x\n\n", [[null, "x"]]],
  ["an event that was cut off", "data: x\n\nevent: a\ndata: {", [[null, "x"]]],
  ["no stream at all", '{"type":"error"}', []],
])("SSE copy: %s", (_, text, expected) => {
  expect(readSseEvents(bytes(text)).map(({ event, data }) => [event, data])).toEqual(expected);
});

test("SSE copy: a cut inside a character keeps the events before it", () => {
  const whole = bytes("data: a\n\ndata: é\n\n");
  expect(readSseEvents(whole.subarray(0, whole.length - 3))).toEqual([{ event: null, data: "a" }]);
});
