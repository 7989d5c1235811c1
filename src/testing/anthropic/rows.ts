/** Roles, the places where system rows may stand, blocks in the wrong role, and the ids of calls. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import type { PlacedBlock, Row } from "./conversation.ts";

const idPattern = /^[a-zA-Z0-9_-]+$/;
/** The first generation that takes system rows between the others. */
const systemRowsSince = 4.8;

export function* rowFindings(request: AnthropicRequest): Generator<Rejection> {
  const { rows } = request.conversation;
  for (const [at, row] of rows.entries()) {
    if (row.role === "system") yield* systemRowFindings(request, row, at);
    else if (row.role !== "user" && row.role !== "assistant") {
      yield {
        rule: "A-ROLE-5",
        message: `messages: Unexpected role "${row.role}". Allowed roles are "user" or "assistant"`,
      };
    }
    for (const block of row.blocks) {
      yield* roleFindings(block);
      yield* nameFindings(block);
    }
    yield* compactionFindings(row, at);
  }
}

/** A run of system rows must be followed by an assistant row or by nothing, and something must stand in front of it. */
function* systemRowFindings(request: AnthropicRequest, row: Row, at: number): Generator<Rejection> {
  const { rows } = request.conversation;
  if (request.model.version < systemRowsSince) {
    yield {
      rule: "A-SYS-22",
      message:
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" ' +
        "as an input message role.",
    };
    return;
  }
  const next = rows.slice(at).find((one) => one.role !== "system");
  const first = at === 0 && !request.unknownHistory;
  if (first || (next !== undefined && next.role !== "assistant")) {
    yield {
      rule: "A-SYS-22",
      message: `${row.path}: role 'system' must precede an 'assistant' message or end the array`,
    };
  }
}

function* roleFindings({ role, type, path }: PlacedBlock): Generator<Rejection> {
  if (type === "tool_use" && role !== "assistant") {
    yield { rule: "A-ROLE-5", message: `${path}: \`tool_use\` blocks can only be in \`assistant\` messages` };
  }
  if (type === "tool_result" && role !== "user") {
    yield { rule: "A-ROLE-5", message: `${path}: \`tool_result\` blocks can only be in \`user\` messages` };
  }
  if (type === "") yield { rule: "schema", message: `${path}.type: Field required` };
}

function* nameFindings({ type, path, block }: PlacedBlock): Generator<Rejection> {
  const idMember = type === "tool_use" || type === "server_tool_use" ? "id" : "tool_use_id";
  if (type !== "tool_use" && type !== "server_tool_use" && !type.endsWith("tool_result")) return;
  if (!idPattern.test(asText(block[idMember]))) {
    yield { rule: "A-ID-10", message: `${path}.${type}.${idMember}: String should match pattern '^[a-zA-Z0-9_-]+$'` };
  }
  if (idMember === "id" && asText(block.name) === "") {
    yield { rule: "A-NAME-11", message: `${path}.${type}.name: String should have at least 1 character` };
  }
}

/** A compaction block stands for everything before it, so nothing may stand before it. */
function* compactionFindings(row: Row, at: number): Generator<Rejection> {
  for (const { type, index, path, role, block } of row.blocks) {
    if (type !== "compaction") continue;
    if (at !== 0 || index !== 0 || role === "system") {
      yield {
        rule: "A-CMP-28",
        message: `${path}: \`compaction\` must be the first block of the conversation`,
        code: "compaction_block_misplaced",
      };
    }
    if (block.signature === "") {
      yield {
        rule: "A-CMP-28",
        message: `${path}: Invalid \`signature\` in \`compaction\` block`,
        code: "compaction_signature_invalid",
      };
    }
  }
}
