import fc from "fast-check";
import * as jsonc from "jsonc-parser";
import { expect, test } from "vitest";
import { doubledMembers, isSyntaxFault, type JsonNode, lineAndColumn, nodeAt, scanJson } from "./json-spans.ts";

const scan = (text: string): JsonNode => {
  const root = scanJson(Buffer.from(text));
  if (isSyntaxFault(root)) throw new Error(`${root.message} at ${root.offset}`);
  return root;
};

test("spans of every node are those that jsonc-parser finds", () => {
  const compare = (node: JsonNode, oracle: jsonc.Node, text: string): void => {
    expect(text.slice(node.start, node.end)).toBe(text.slice(oracle.offset, oracle.offset + oracle.length));
    if (node.kind === "array") node.items.forEach((item, index) => void compare(item, oracle.children![index]!, text));
    if (node.kind === "object") {
      node.members.forEach((member, index) => void compare(member.value, oracle.children![index]!.children![1]!, text));
    }
  };
  fc.assert(
    fc.property(fc.json({ stringUnit: "grapheme-ascii" }), fc.integer({ min: 0, max: 3 }), (json, indent) => {
      const text = JSON.stringify(JSON.parse(json), null, indent);
      compare(scan(text), jsonc.parseTree(text)!, text);
    }),
    { numRuns: 300 },
  );
});

test("what JSON.parse refuses is a fault, what it takes is not", () => {
  const words = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"',
    "1",
    "-",
    "01",
    "1.",
    "1e5",
    "true",
    "nul",
    "null",
    " ",
    "\\u00",
    '"\\ud83d"',
    "\t",
    "\n",
    "\u0001",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      let legal = true;
      try {
        JSON.parse(text);
      } catch {
        legal = false;
      }
      expect(!isSyntaxFault(scanJson(Buffer.from(text)))).toBe(legal);
    }),
    { numRuns: 5000 },
  );
});

test("a pointer finds its node; the last of a doubled name counts, as in JSON.parse", () => {
  const text = '{"a":[1,{"b/c":"x"}],"a":[2,{"b/c":"y"}],"\\u0061":[3,{"b/c":"z"}]}';
  const node = nodeAt(scan(text), "/a/1/b~1c")!;
  expect(text.slice(node.start, node.end)).toBe('"z"');
  expect(nodeAt(scan(text), "/a/01")).toBeUndefined();
  expect(doubledMembers(scan(text)).map((object) => object.start)).toEqual([0]);
});

test("a fault has a line and a column, invalid UTF-8 included", () => {
  const text = Buffer.from('{\n  "a": 1,\n  "b": oops\n}');
  const fault = scanJson(text);
  expect(fault).toMatchObject({ kind: "syntax-fault", message: "expected a JSON value" });
  expect(lineAndColumn(text, (fault as { offset: number }).offset)).toEqual({ line: 3, column: 8 });
  const cut = Buffer.concat([Buffer.from('["é'), Buffer.from([0xf0, 0x9f, 0x98]), Buffer.from('"]')]);
  expect(scanJson(cut)).toMatchObject({ kind: "syntax-fault", offset: 4 });
});

test("a document of endless depth is a fault, never a stack overflow", () => {
  expect(scanJson(Buffer.from("[".repeat(100_000)))).toMatchObject({ message: "nested deeper than 512 levels" });
});
