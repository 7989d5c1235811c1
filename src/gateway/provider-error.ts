/** An error of our own in the words that the client's SDK can read; the header tells it apart from the provider's. */
import type { ServerResponse } from "node:http";
import type { Upstream } from "../wire/api.ts";
import { ERROR_HEADER } from "./headers.ts";

type Family = "anthropic" | "openai" | "google" | "mistral" | "chatgpt";

export interface OwnError {
  readonly status: 401 | 403 | 404 | 501 | 502;
  /** `snake_case`, stable. */
  readonly code: string;
  readonly message: string;
}

/** @param path path at the upstream; it tells the protocol where the upstream does not */
export function sendOwnError(to: ServerResponse, error: OwnError, upstream: Upstream | null, path: string): void {
  const body = Buffer.from(JSON.stringify(errorBody(error, familyOf(upstream, path))));
  to.writeHead(error.status, {
    "content-type": "application/json",
    "content-length": body.length,
    [ERROR_HEADER]: error.code,
  });
  to.end(body);
}

function errorBody({ status, code, message }: OwnError, family: Family): unknown {
  const text = `holdfast: ${message}`;
  switch (family) {
    case "anthropic":
      return { type: "error", error: { type: anthropicTypes[status], message: text } };
    case "openai":
      return { error: { message: text, type: "gateway_error", param: null, code } };
    case "google":
      return { error: { code: status, message: text, status: googleStatuses[status] } };
    case "mistral":
      return { object: "error", message: text, type: "gateway_error", param: null, code };
    case "chatgpt":
      return { detail: text };
  }
}

const anthropicTypes: Readonly<Record<OwnError["status"], string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  501: "api_error",
  502: "api_error",
};

const googleStatuses: Readonly<Record<OwnError["status"], string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
};

function familyOf(upstream: Upstream | null, path: string): Family {
  const api = upstream?.api;
  if (api === "anthropic-messages" || path.includes("/v1/messages")) return "anthropic";
  if (api === "google-generative-ai" || api === "google-vertex" || /:\w*[gG]enerateContent/.test(path)) return "google";
  if (api !== undefined) return api === "mistral-conversations" ? "mistral" : "openai";
  switch (upstream?.backend) {
    case "anthropic":
    case "google":
    case "mistral":
      return upstream.backend;
    case "vertex":
      return "google";
    case "codex":
      return "chatgpt";
    default:
      return "openai";
  }
}
