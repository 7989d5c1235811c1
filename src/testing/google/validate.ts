/** Answers a `generateContent` request as Gemini would, on the public API or on Vertex. */
import { asObject, asText, type JsonObject } from "../json-value.ts";
import { createProviderContext, type ProviderContext } from "../provider-context.ts";
import { firstEnforced, type Rejection } from "../rejection.ts";
import { functionsOf, type GoogleContent, type GoogleRequest, memberOf, readGoogleRequest } from "./google-request.ts";

export type GoogleVerdict =
  | { readonly status: 200; readonly request: GoogleRequest }
  | { readonly status: number; readonly rule: string; readonly body: JsonObject };

/** @param model as the path names it */
export function validateGoogle(
  body: unknown,
  model: string,
  context: ProviderContext = createProviderContext(),
): GoogleVerdict {
  const { accepts, extraRules, backend } = context.settings;
  const request = readGoogleRequest(asObject(body), model);
  const rejection = firstEnforced(body, findings(request, backend === "vertex"), extraRules, accepts);
  if (rejection === null) return { status: 200, request };
  const status = rejection.status ?? 400;
  return { status, rule: rejection.rule, body: googleError(status, rejection.message) };
}

export function googleError(code: number, message: string): JsonObject {
  return { error: { code, message, status: code === 400 ? "INVALID_ARGUMENT" : "UNKNOWN" } };
}

function* findings(request: GoogleRequest, onVertex: boolean): Generator<Rejection> {
  const { contents } = request;
  if (contents.length === 0)
    yield { rule: "schema", message: "* GenerateContentRequest.contents: contents is not specified" };
  for (const declared of functionsOf(request)) {
    if (/^[A-Za-z_][\w.:-]{0,127}$/.test(asText(declared.name))) continue;
    yield { rule: "G-NAME-7", message: "Invalid function name. Must start with a letter or an underscore." };
  }
  for (const content of contents) yield* partFindings(content);
  for (const content of contents) yield* orderFindings(content, contents[content.at - 1], contents[content.at + 1]);
  yield* signatureFindings(request, onVertex);
  if (contents.at(-1)?.role === "model") {
    yield { rule: "G-END-6", message: "Please ensure that the conversation must end with a user turn." };
  }
}

function* partFindings({ at, parts }: GoogleContent): Generator<Rejection> {
  const rule = "G-EMPTY-5";
  if (parts.length === 0)
    yield { rule, message: `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.` };
  for (const [index, part] of parts.entries()) {
    const signed = asText(memberOf(part, "thoughtSignature", "thought_signature")) !== "";
    const empty = Object.keys(part).length === 0 || (part.text === "" && !signed);
    if (!empty) continue;
    const message = `* GenerateContentRequest.contents[${at}].parts[${index}].data: required oneof field 'data' must have one initialized field`;
    yield { rule, message };
  }
}

function* orderFindings(
  content: GoogleContent,
  before: GoogleContent | undefined,
  behind: GoogleContent | undefined,
): Generator<Rejection> {
  if (content.role === "model" && content.calls.length > 0) {
    if (before?.role !== "user") {
      yield {
        rule: "G-CALL-1",
        message:
          "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      };
    }
    const answers = behind?.role === "user" ? behind.responses.length : 0;
    if (answers !== content.calls.length) {
      yield {
        rule: "G-COUNT-3",
        message:
          "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      };
    }
  }
  const asked = before?.role === "model" && before.calls.length > 0;
  if (content.role === "user" && content.responses.length > 0 && !asked) {
    yield {
      rule: "G-RESP-2",
      message: "Please ensure that function response turn comes immediately after a function call turn.",
    };
  }
}

/** Newer models want the signature of the thought on the first call of each step of the turn that is going on. */
function* signatureFindings({ model, contents }: GoogleRequest, onVertex: boolean): Generator<Rejection> {
  if (Number(/gemini-(\d+)/.exec(model)?.[1] ?? 0) < 3) return;
  let position = 0;
  for (const content of contents) {
    const spoken = content.role === "user" && content.parts.length > content.responses.length;
    if (spoken) position = content.at;
  }
  for (const { role, calls, at } of contents) {
    const [first] = role === "model" && at > position ? calls : [];
    if (first === undefined) continue;
    const signature = asText(memberOf(first, "thoughtSignature", "thought_signature"));
    const name = asText(asObject(memberOf(first, "functionCall", "function_call")).name);
    if (signature === "") {
      const message = `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${name}\`, position ${at + 1}.`;
      yield { rule: "G-SIG-4", message };
    } else if (onVertex && signature === "skip_thought_signature_validator") {
      yield { rule: "G-SIG-4", message: "Thought signature is not valid" };
    }
  }
}
