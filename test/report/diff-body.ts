/** Compares two bodies as the command does, from their bytes on. */
import assert from "node:assert";
import { type DiffRecord, toDiffRecord } from "../../src/report/diff/diff-record.ts";
import { diffRequests } from "../../src/report/diff/diff-requests.ts";
import { openSessionRequest, type RequestContext } from "../../src/report/diff/session-request.ts";

/** @param before a body, or its JSON text where the spelling matters */
export function diffBodies(
  before: unknown,
  after: unknown,
  context: RequestContext = {},
  afterContext = context,
): DiffRecord {
  const was = openSessionRequest(toBytes(before), context);
  const is = openSessionRequest(toBytes(after), afterContext);
  assert(was.kind === "request" && is.kind === "request", "both bodies are requests");
  return toDiffRecord(diffRequests(was, is));
}

function toBytes(body: unknown): Uint8Array {
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
