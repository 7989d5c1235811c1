import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";

export interface GoogleContent {
  readonly at: number;
  /** `user` for everything that is not the model's. */
  readonly role: "user" | "model";
  readonly parts: readonly JsonObject[];
  readonly calls: readonly JsonObject[];
  readonly responses: readonly JsonObject[];
}

export interface GoogleRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly contents: readonly GoogleContent[];
}

/** @param model it stands in the path, not in the body */
export function readGoogleRequest(body: JsonObject, model: string): GoogleRequest {
  const contents = asObjects(body.contents).map((content, at): GoogleContent => {
    const parts = asObjects(content.parts);
    return {
      at,
      role: asText(content.role) === "model" ? "model" : "user",
      parts,
      calls: parts.filter((part) => memberOf(part, "functionCall", "function_call") !== undefined),
      responses: parts.filter((part) => memberOf(part, "functionResponse", "function_response") !== undefined),
    };
  });
  return { body, model, contents };
}

/** The API takes both spellings of every member. */
export function memberOf(object: JsonObject, camel: string, snake: string): unknown {
  return object[camel] ?? object[snake];
}

export function functionsOf({ body }: GoogleRequest): readonly JsonObject[] {
  return asObjects(body.tools).flatMap((tool) =>
    asObjects(memberOf(asObject(tool), "functionDeclarations", "function_declarations")),
  );
}
