/**
 * The capture envelope `{"api","backend","model","url","headers","usage","body"}` around a request. `body` is an object, whose
 * bytes are cut out of the file as they stand, a string, or `{"base64"}` for bytes that are no text.
 */
import type { JudgeHints } from "../engine/judge-body.ts";
import { isSyntaxFault, nodeAt, scanJson } from "../lib/json-spans.ts";
import { APIS, BACKENDS, isApi, isBackend } from "../wire/api.ts";

/** What an envelope or a flag says of a request. */
export interface RequestHints extends Omit<JudgeHints, "received"> {
  /** Input tokens that the provider counted for this request: cached, written and plain. */
  readonly promptTokens?: number;
}

export type Capture =
  | { readonly kind: "capture"; readonly body: Uint8Array; readonly hints: RequestHints }
  | { readonly kind: "unreadable"; readonly message: string };

type Members = Readonly<Record<string, unknown>>;

/**
 * The request in `bytes`: what the envelope holds, or the bytes themselves where they are no envelope.
 * @param bytesMax of a body that has to be inflated first
 */
export async function openEnvelope(bytes: Buffer, bytesMax: number): Promise<Capture> {
  const envelope = parseEnvelope(bytes);
  if (envelope === null) return { kind: "capture", body: bytes, hints: {} };
  const { api, backend, model, url, headers, usage } = envelope;
  if (api != null && !isApi(api)) return unknownWord("api", api, APIS);
  if (backend != null && !isBackend(backend)) return unknownWord("backend", backend, BACKENDS);
  const sent = readBody(envelope.body, bytes);
  if (sent === null) return { kind: "unreadable", message: '"body" is neither an object, a string nor {"base64"}' };
  const body = await undoCoding(sent, headers, bytesMax);
  if (body === null) return { kind: "unreadable", message: '"body" is not what its content-encoding header says' };
  const promptTokens = sumInput(usage);
  const hints: RequestHints = {
    ...(isApi(api) && { api }),
    ...(isBackend(backend) && { backend }),
    ...(typeof model === "string" && { model }),
    ...(typeof url === "string" && { url }),
    ...(promptTokens > 0 && { promptTokens }),
  };
  return { kind: "capture", body, hints };
}

/** Anthropic counts cached tokens beside the plain ones, the others count them in. */
function sumInput(usage: unknown): number {
  if (typeof usage !== "object" || usage === null) return 0;
  const counts = new Map(
    Object.entries(usage).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
  const plain = counts.get("prompt_tokens") ?? counts.get("input_tokens") ?? 0;
  return plain + (counts.get("cache_read_input_tokens") ?? 0) + (counts.get("cache_creation_input_tokens") ?? 0);
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

function readBody(body: unknown, bytes: Buffer): Buffer | null {
  if (typeof body === "string") return Buffer.from(body);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  if ("base64" in body) return typeof body.base64 === "string" ? Buffer.from(body.base64, "base64") : null;
  const root = scanJson(bytes);
  if (isSyntaxFault(root)) return null;
  const node = nodeAt(root, "/body");
  return node === undefined ? null : bytes.subarray(node.start, node.end);
}

/** Only bytes can be compressed; an envelope often keeps the header beside a body that it shows as plain JSON. */
async function undoCoding(body: Buffer, headers: unknown, bytesMax: number): Promise<Buffer | null> {
  const coding = readHeader(headers, "content-encoding");
  if (coding === undefined || body[0] === 0x7b) return body;
  const { inflateCopy } = await import("../gateway/inflate.ts");
  return await inflateCopy(body, coding, bytesMax);
}

function readHeader(headers: unknown, name: string): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" ? value : undefined;
}

function unknownWord(member: string, word: unknown, known: readonly string[]): Capture {
  return { kind: "unreadable", message: `"${member}" is ${JSON.stringify(word)}; known: ${known.join(", ")}` };
}
