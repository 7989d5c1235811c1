/** The one tool that the clients without tools of their own offer, as a JSON Schema. */
export const bashTool = {
  name: "bash",
  description: "Runs a command.",
  schema: {
    type: "object" as const,
    properties: { command: { type: "string" as const } },
    required: ["command"],
    additionalProperties: false,
  },
  result: "step done",
};

/** More steps than any scripted turn takes. */
export const STEPS_MAX = 5;

export function endlessSteps(): Error {
  return new Error(`The model asks for a tool in ${STEPS_MAX} steps on end.`);
}
