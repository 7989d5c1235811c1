/** An agent whose every part sorts differently somewhere: in a locale, by UTF-16 unit, or as an integer-like key. */
import type { AgentDefinition } from "../../src/plan/agent-definition.ts";
import type { ToolCandidate } from "../../src/plan/select-tools.ts";

/** Czech sorts ch behind h, Danish aa behind z, Lithuanian y beside i, Turkish knows two i, Estonian z before t. */
export const SCOPES = ["chat:read", "dash:read", "aa:write", "zoo:write", "Izmir:read"] as const;

const SCHEMA = {
  type: "object",
  required: ["z", "a"],
  properties: {
    "10": { maximum: 9223372036854775807n },
    "9": { type: "number", minimum: 0.5 },
    "01": { type: "string", enum: ["Z", "a", "ä", "aa"] },
    "\u{1f600}": { const: null },
    "\uff5e": { type: "boolean" },
    ä: { type: "array", items: { type: "string", default: "" } },
    z: {},
    a: { __proto__: null, constructor: { description: "e\u0301 and \u00e9" } },
  },
};

const NAMES = ["zebra.list", "Zebra.find", "aa_sync", "chess.move", "hello", "i_day", "I.night", "yoga.list", "t.list"];

export const HOUSE: AgentDefinition = {
  api: "anthropic-messages",
  model: "anthropic:claude-sonnet-5",
  framing: "You work for the house.",
  instructions: "Answer \u201cbriefly\u201d \u2028 and in ASCII.",
  persona: { text: "Friendly.", version: "1" },
  skills: NAMES.map((name) => ({ name, description: `Knows ${name}.` })),
  tools: NAMES.map(
    (name, index): ToolCandidate => ({
      source: index % 3 === 2 ? "discovered" : "configured",
      spec: { name, version: "1", description: `Does ${name}.`, input_schema: SCHEMA, required_scopes: [...SCOPES] },
    }),
  ),
  policyVersion: "policy@1",
  builderVersion: "builder@1",
};

export const MEMORY = "Likes tea.";
