/** Servers that render a chat template raise what the template raises. */
import type { Rejection } from "../rejection.ts";
import type { ChatRequest } from "./chat-request.ts";

const rendering = new Set(["vllm", "llamacpp", "lmstudio"]);
const mistralLike = /mi[sn]tral|mixtral|devstral|magistral|codestral/i;

export function* templateFindings({ backend, model, rows }: ChatRequest): Generator<Rejection> {
  if (!rendering.has(backend)) return;
  const body = rows[0]?.role === "system" ? rows.slice(1) : rows;
  if (/qwen/i.test(model) && body.some((row) => row.role === "system")) {
    yield { rule: "K-TPL-6", message: "System message must be at the beginning." };
  }
  if (!mistralLike.test(model)) return;
  // The template counts user rows and assistant rows without calls, and looks past everything about tools.
  const spoken = body.filter((row) => row.role !== "tool" && row.calls.length === 0);
  if (spoken.every((row, at) => row.role === (at % 2 === 0 ? "user" : "assistant"))) return;
  yield {
    rule: "K-TPL-6",
    message:
      "After the optional system message, conversation roles must alternate user and assistant roles except for tool " +
      "calls and results.",
  };
}
