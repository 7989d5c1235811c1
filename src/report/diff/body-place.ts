/** The byte of a body at which a person should look. */
import type { PathStep } from "../../lib/json-pointer.ts";
import { type JsonNode, memberNamed } from "../../lib/json-spans.ts";
import type { Change } from "./change.ts";
import type { SessionRequest } from "./session-request.ts";
import { commonStart } from "./volatile-text.ts";

/**
 * Offset of the value at `path`. What is gone stood where its next neighbour begins now, or where its list ends.
 */
export function byteAt(root: JsonNode, path: readonly PathStep[]): number {
  let node = root;
  for (const step of path) {
    const next = stepInto(node, step);
    if (next === undefined) return node.kind === "array" || node.kind === "object" ? node.end - 1 : node.start;
    node = next;
  }
  return node.start;
}

/** The node at `path`, or undefined. A prompt has thousands of parts, so no pointer is written and read for each. */
export function nodeAtPath(root: JsonNode, path: readonly PathStep[]): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of path) {
    if (node === undefined) return undefined;
    node = stepInto(node, step);
  }
  return node;
}

function stepInto(node: JsonNode, step: PathStep): JsonNode | undefined {
  if (node.kind === "array") return node.items[Number(step)];
  return node.kind === "object" ? memberNamed(node, String(step))?.value : undefined;
}

/** Offset in AFTER of the first byte that differs inside the changed value. */
export function findChangedByte({ root, bytes }: SessionRequest, { path, before, after }: Change): number {
  const byte = byteAt(root, path);
  if (typeof before !== "string" || typeof after !== "string" || bytes[byte] !== 0x22) return byte;
  const equal = JSON.stringify(after.slice(0, commonStart(before, after))).slice(0, -1);
  // The body may spell the text with other escapes; then only the start of the value is sure.
  const spelled = Buffer.from(equal);
  const isSpelledSo = Buffer.compare(spelled, bytes.subarray(byte, byte + spelled.length)) === 0;
  return isSpelledSo ? byte + spelled.length : byte;
}
