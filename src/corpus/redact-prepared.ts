/** A host's own rows without anything that is somebody's: with the filler of the body, so that both still differ alike. */
import { assert } from "../lib/assert.ts";
import type { Filler } from "./filler.ts";
import type { PreparedRows } from "./prepared-rows.ts";
import { redactBody } from "./redact.ts";

type Block = PreparedRows["rows"][number]["content"][number];

/** The rows are written as a body, whose words are known; kinds of blocks that no api has stay what they are. */
export function redactPrepared(prepared: PreparedRows, filler: Filler): PreparedRows {
  const messages = prepared.rows.map(({ role, content }) => ({ role, content: content.map(asProtocol) }));
  const redacted = redactBody(Buffer.from(JSON.stringify({ messages })), filler);
  assert(redacted !== null, "what was written as JSON is JSON");
  const { messages: rows } = JSON.parse(Buffer.from(redacted).toString()) as { messages: PreparedRows["rows"] };
  return {
    ...prepared,
    rows: prepared.rows.map(({ role, content }, at) => ({
      role,
      content: content.map((block, index) => ({ ...rows[at]!.content[index]!, type: block.type }) as Block),
    })),
  };
}

function asProtocol(block: Block): object {
  if (block.type === "note") return { type: "text", text: block.text };
  return block.type === "unknown" ? { type: "image" } : block;
}
