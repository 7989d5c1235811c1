import { expect, test } from "vitest";
import type { Finding } from "./finding.ts";
import { toJunit } from "./junit.ts";

const finding: Finding = {
  id: "A-1",
  level: "error",
  message: 'a "bad" <row> & more',
  file: "a.json",
  path: "/messages/0",
};

test("CL-2 JUnit has one case per thing that was looked at, and fails those with findings", () => {
  const xml = toJunit([finding, { ...finding, id: "A-2" }, { ...finding, file: "s.jsonl", line: 3, level: "note" }], {
    name: "check",
    checked: ["a.json", "s.jsonl:2", "s.jsonl:3"],
  });
  expect(xml).toContain('<testsuites name="holdfast" tests="3" failures="1" errors="0" skipped="0">');
  expect(xml).toContain('<testcase classname="check" name="s.jsonl:2"/>');
  expect(xml.match(/<failure /g)).toHaveLength(1);
  expect(xml).toContain("A-2 at /messages/0");
  expect(xml).toMatch(/name="s\.jsonl:3">\s*<system-out>A-1/);
});

test("CL-2 JUnit stays well-formed XML whatever a message holds", () => {
  const xml = toJunit([{ ...finding, message: 'tab\t line\n <a href="x">&\u0000\ud800' }], { name: "c", checked: [] });
  expect(xml).toContain('message="tab\t line&#10; &lt;a href=&quot;x&quot;&gt;&amp;\ufffd\ufffd"');
  expect(xml.isWellFormed()).toBe(true);
});
