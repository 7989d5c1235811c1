/** The tool list, and references from the history into it. */
import { asObject, asObjects, asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";

/** Newer models allow 128 characters; the limit of 64 on older ones is not measured. */
const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

export function* toolFindings(request: AnthropicRequest): Generator<Rejection> {
  const tools = asObjects(request.body.tools);
  for (const [at, tool] of tools.entries()) {
    // A toolset of a server has no name of its own.
    if (tool.type === "mcp_toolset") continue;
    const kind = asText(tool.type) || "custom";
    if (!toolName.test(asText(tool.name))) {
      yield {
        rule: "A-NAME-11",
        message: `tools.${at}.${kind}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
      };
    }
  }
  const named = tools.flatMap((tool) => (tool.name === undefined ? [] : [asText(tool.name)]));
  if (new Set(named).size < named.length) yield { rule: "A-NAME-11", message: "tools: Tool names must be unique." };
  yield* referenceFindings(request, new Set(named));
}

/** A reference needs its tool in this request's list, or defined earlier in the messages. */
function* referenceFindings(request: AnthropicRequest, offered: Set<string>): Generator<Rejection> {
  if (request.unknownHistory) return;
  for (const { blocks } of request.conversation.rows) {
    for (const { block, type } of blocks) {
      if (type === "tool_addition" || type === "tool_removal") {
        const tool = asObject(block.tool);
        const name = asText(tool.name ?? asObject(tool.definition).name);
        if (tool.type === "tool_definition") offered.add(name);
        else if (tool.type === "tool_reference" && !offered.has(name)) yield unresolved(name);
      }
      for (const name of namesReferenced(block.content)) if (!offered.has(name)) yield unresolved(name);
    }
  }
}

/** Names in a tool result: as blocks of a client's own search tool, or as the list of the server's search tool. */
function namesReferenced(content: unknown): readonly string[] {
  const blocks = Array.isArray(content) ? asObjects(content) : asObjects(asObject(content).tool_references);
  return blocks.flatMap((block) => (block.type === "tool_reference" ? [asText(block.tool_name)] : []));
}

function unresolved(name: string): Rejection {
  return {
    rule: "A-REF-9",
    message: `Tool reference '${name}' not found in available tools`,
    code: "tool_reference_unresolved",
  };
}
