/**
 * A request as the gate sees it: rows of blocks, each with the place it has in the body. It is an index into the parsed
 * body, not a copy: nothing here is ever serialised again.
 */
import type { Api } from "./api.ts";

export type JsonObject = { readonly [name: string]: unknown };

export interface WireRequest {
  readonly api: Api;
  readonly body: JsonObject;
  readonly model: string | null;
  /** JSON pointer of the history array: `/messages`, `/input`, `/contents`. */
  readonly rowsPath: string;
  readonly rows: readonly Row[];
  /** Tools that the model may call in this request, added ones included. */
  readonly tools: readonly ToolDefinition[];
  /** The provider holds the history and gets only what is new. */
  readonly anchor: Anchor | null;
}

export interface Anchor {
  readonly kind: "thread" | "previous_response" | "conversation" | "item_reference" | "cached_content";
  /** JSON pointer of the member that says so. */
  readonly path: string;
  readonly id: string | null;
}

export interface ToolDefinition {
  readonly name: string;
  readonly path: string;
}

export type Role = "user" | "assistant" | "system" | "tool" | "other";

export interface Row {
  readonly index: number;
  readonly path: string;
  readonly role: Role;
  readonly value: JsonObject;
  /** Whether the content is one string, a list of blocks, null, or absent. */
  readonly form: "string" | "blocks" | "null" | "absent" | "other";
  /** JSON pointer of the list that holds the blocks, or of the string. */
  readonly contentPath: string;
  readonly blocks: readonly Block[];
  /** What has been found out about this row alone; a slot for each question (`row-memo.ts`). */
  memo?: unknown[];
}

interface BlockPlace {
  readonly path: string;
  readonly value: unknown;
}

export interface TextBlock extends BlockPlace {
  readonly kind: "text";
  readonly text: string;
}

/** A call that the client runs. */
export interface ToolCall extends BlockPlace {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  /** Arguments: an object, or the JSON text that the api wants. */
  readonly input: unknown;
}

export interface ToolResult extends BlockPlace {
  readonly kind: "result";
  readonly callId: string;
  readonly isError: boolean;
}

/** Reasoning of the model, signed, sealed or plain. */
export interface ThinkingBlock extends BlockPlace {
  readonly kind: "thinking";
  readonly text: string;
  /** Signature or sealed content: opaque, nothing is read out of it. Null where the member is missing. */
  readonly seal: string | null;
}

/** A tool that the provider runs: its call and its result stand in one assistant row. */
export interface ServerCall extends BlockPlace {
  readonly kind: "server-call";
  readonly id: string;
}

export interface ServerResult extends BlockPlace {
  readonly kind: "server-result";
  readonly callId: string;
}

export interface MediaBlock extends BlockPlace {
  readonly kind: "media";
}

/** A block that the api knows and that takes no part in pairing: a compaction, a tool change. */
export interface NoteBlock extends BlockPlace {
  readonly kind: "note";
  readonly type: string;
}

/** A structure that this version does not know. It is never a reason for a hard verdict (DG-6). */
export interface OpaqueBlock extends BlockPlace {
  readonly kind: "opaque";
  readonly type: string;
}

export type Block =
  | TextBlock
  | ToolCall
  | ToolResult
  | ThinkingBlock
  | ServerCall
  | ServerResult
  | MediaBlock
  | NoteBlock
  | OpaqueBlock;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const NO_ELEMENTS: readonly unknown[] = [];

/** The same empty list for everything that is none, so that what is known of it is known once. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ELEMENTS;
}
