/** Plan events that the Python encoder of ADR-0134 wrote (see make.py beside them), and the agent they belong to today. */
import { readdirSync, readFileSync } from "node:fs";
import { parseJsonText } from "../../src/lib/canonical-json-text.ts";
import type { AgentDefinition } from "../../src/plan/agent-definition.ts";

const folder = new URL("../fixtures/foreign-plans/", import.meta.url);

export const FOREIGN_PLANS = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length));

export function readForeignPlan(name: string): Uint8Array {
  return readFileSync(new URL(`${name}.json`, folder));
}

/** @param schema text of the tool's schema, as its server sends it today */
export function agentOfForeignPlan(schema?: string): AgentDefinition {
  const input_schema = schema === undefined ? {} : { input_schema: parseJsonText(Buffer.from(schema)) };
  return {
    api: "anthropic-messages",
    model: "anthropic:claude-sonnet-5",
    framing: "P",
    instructions: "",
    persona: null,
    skills: [],
    tools: [
      { source: "configured", spec: { name: "mail.flag", version: "1", required_scopes: SCOPES, ...input_schema } },
    ],
    policyVersion: "policy@1",
    builderVersion: "context-builder@11",
  };
}

export const SCOPES = ["mail.read", "mail.write"];

/** The schemas of make.py, as JavaScript or any other language may spell them. */
export const SCHEMAS: Readonly<Record<string, string | undefined>> = {
  current: '{"type":"object","properties":{"n":{"maximum":9223372036854775807}}}',
  unsorted_scopes: undefined,
  foreign_floats: '{"properties":{"n":{"minimum":1e-7,"maximum":1e22,"multipleOf":1,"default":2.5}},"type":"object"}',
  jsonb_numbers: '{"type":"object","properties":{"n":{"minimum":1e-7,"maximum":1e21}}}',
  "foreign_floats+jsonb_numbers":
    '{"type":"object","properties":{"n":{"minimum":1e-7,"maximum":0.00001,"multipleOf":1}}}',
  negative_zero: '{"type":"object","properties":{"n":{"default":0}}}',
};

export function schemaOfForeignPlan(name: string): string | undefined {
  return SCHEMAS[name] ?? SCHEMAS[name.replace("unsorted_scopes+", "")];
}
