/**
 * The capture envelope `{"api","backend","model","url","headers","body"}` around a request. `body` is an object, whose
 * bytes are cut out of the file as they stand, a string, or `{"base64"}` for bytes that are no text.
 */
import { isSyntaxFault, nodeAt, scanJson } from "../lib/json-spans.ts";
import { APIS, type Api, BACKENDS, type Backend, isApi, isBackend } from "../wire/api.ts";

export interface RequestHints {
  readonly api?: Api;
  readonly backend?: Backend;
  readonly model?: string;
  /** Some APIs carry the model or a version here. */
  readonly url?: string;
}

export type Capture =
  | { readonly kind: "capture"; readonly body: Uint8Array; readonly hints: RequestHints }
  | { readonly kind: "unreadable"; readonly message: string };

type Members = Readonly<Record<string, unknown>>;

/** The request in `bytes`: what the envelope holds, or the bytes themselves where they are no envelope. */
export function openEnvelope(bytes: Buffer): Capture {
  const envelope = parseEnvelope(bytes);
  if (envelope === null) return { kind: "capture", body: bytes, hints: {} };
  const { api, backend, model, url } = envelope;
  if (api != null && !isApi(api)) return unknownWord("api", api, APIS);
  if (backend != null && !isBackend(backend)) return unknownWord("backend", backend, BACKENDS);
  const body = readBody(envelope.body, bytes);
  if (body === null) return { kind: "unreadable", message: '"body" is neither an object, a string nor {"base64"}' };
  const hints: RequestHints = {
    ...(isApi(api) && { api }),
    ...(isBackend(backend) && { backend }),
    ...(typeof model === "string" && { model }),
    ...(typeof url === "string" && { url }),
  };
  return { kind: "capture", body, hints };
}

/**
 * A request of any API has its history beside its model; an envelope has it below `body`. The search for the word comes
 * first because it is far cheaper than parsing, and almost no request holds it.
 */
function parseEnvelope(bytes: Buffer): Members | null {
  if (!bytes.includes('"body"')) return null;
  try {
    const document: unknown = JSON.parse(bytes.toString());
    if (typeof document !== "object" || document === null || !Object.hasOwn(document, "body")) return null;
    return HISTORY_MEMBERS.some((name) => Object.hasOwn(document, name)) ? null : (document as Members);
  } catch {
    return null; // Not JSON at all: whoever judges the bytes says where.
  }
}

const HISTORY_MEMBERS = ["messages", "input", "contents"];

function readBody(body: unknown, bytes: Buffer): Uint8Array | null {
  if (typeof body === "string") return Buffer.from(body);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  if ("base64" in body) return typeof body.base64 === "string" ? Buffer.from(body.base64, "base64") : null;
  const root = scanJson(bytes);
  if (isSyntaxFault(root)) return null;
  const node = nodeAt(root, "/body");
  return node === undefined ? null : bytes.subarray(node.start, node.end);
}

function unknownWord(member: string, word: unknown, known: readonly string[]): Capture {
  return { kind: "unreadable", message: `"${member}" is ${JSON.stringify(word)}; known: ${known.join(", ")}` };
}
