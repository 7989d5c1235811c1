/**
 * Writes `test/corpus/refusals` anew: what the real encoders of Pi and OMP make of the histories beside this file. It needs
 * the agents that `npm --prefix test/hosts ci` installs: `node test/corpus/make-refusals.ts`.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { CorpusFolder } from "../../src/corpus/corpus-folder.ts";
import type { Fixture } from "../../src/corpus/fixture.ts";
import { judgeFixture } from "../../src/corpus/judged-fixture.ts";
import { type PreparedRows, toPrepared, toRows } from "../../src/corpus/prepared-rows.ts";
import { replayCorpus } from "../../src/corpus/replay.ts";
import { updateCorpus } from "../../src/corpus/update-corpus.ts";
import { readRequest } from "../../src/dispatch/document.ts";
import type { AgentMessage } from "../../src/hosts/agent-api.ts";
import { piArray } from "../../src/hosts/pi/rows.ts";
import type { Encoded, Encoding } from "../hosts/clients/encoding.ts";
import { encodeAsOmp } from "../hosts/clients/omp-encoder.ts";
import { encodeOnWire } from "../hosts/clients/pi-wire.ts";
import { comparePositions } from "./positional-comparer.ts";
import { projectRows } from "./projected-rows.ts";
import {
  REFUSAL_APIS,
  REFUSAL_HOSTS,
  REFUSAL_MODELS,
  type RefusalApi,
  type RefusalCase,
  type RefusalHost,
  refusalCases,
} from "./refusal-cases.ts";

export const REFUSALS = new CorpusFolder(join(import.meta.dirname, "refusals"));

export interface Refusal {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly fixture: Fixture;
  readonly prepared: PreparedRows;
}

const BACKENDS = {
  "anthropic-messages": "anthropic",
  "openai-completions": "openai",
  "openai-responses": "openai",
  "openai-codex-responses": "codex",
} as const;

interface Asked {
  readonly host: RefusalHost;
  readonly api: RefusalApi;
  readonly one: RefusalCase;
}

/** Every case on every host and api where a guard by position would refuse, or the gate has something to say. */
export async function makeRefusals(): Promise<readonly Refusal[]> {
  const made: Refusal[] = [];
  for (const host of REFUSAL_HOSTS) {
    const asked = REFUSAL_APIS.flatMap((api) => refusalCases(api, host).map((one): Asked => ({ host, api, one })));
    const encoded = await encodeAll(host, asked.map(toEncoding));
    made.push(...asked.map((ask, index) => toRefusal(ask, encoded[index]!)));
  }
  return made.filter(({ id, fixture }) => fixture.verdict !== "admit" || fixture.would_refuse !== null || isPlain(id));
}

function isPlain(id: string): boolean {
  return id.endsWith("/undisturbed");
}

async function encodeAll(host: RefusalHost, encodings: readonly Encoding[]): Promise<readonly Encoded[]> {
  if (host === "omp") return encodeAsOmp(encodings);
  const encoded: Encoded[] = [];
  for (const encoding of encodings) encoded.push(await encodeOnWire(encoding));
  return encoded;
}

function toEncoding({ api, one }: Asked): Encoding {
  const { messages, sent = messages, continued = [], blind = false } = one;
  const { provider, id: model, reasons } = REFUSAL_MODELS[api];
  return { api, provider, model, reasons, sees: !blind, messages: sent, continued };
}

function toRefusal({ host, api, one }: Asked, { messages, body }: Encoded): Refusal {
  const meant = one.sent === undefined ? messages : one.messages;
  // Neither host shows its system rows to an extension that may change the others.
  const shown = meant.filter(({ role }) => role !== "system");
  const array = piArray(host === "omp" ? shown.map(whole) : shown);
  const prepared = toPrepared(host, array.rows.map(array.toRow));
  const rows = toRows(prepared);
  const bytes = Buffer.from(`${JSON.stringify(body, null, 1)}\n`);
  const judged = judgeFixture(bytes, { api, backend: BACKENDS[api], prepared: rows });
  if (judged === null) throw new Error(`${host} ${api} ${one.id} can't be judged`);
  const observed = readRequest(api, body).rows;
  const would_refuse = comparePositions(projectRows(api, rows), projectRows(api, observed));
  return { id: `${host}/${api}/${one.id}`, bytes, prepared, fixture: { schema: 1, ...judged, would_refuse } };
}

/** OMP sends what a broken turn began. */
function whole(message: AgentMessage): AgentMessage {
  return message.stopReason === "aborted" ? { ...message, stopReason: "stop" } : message;
}

if (import.meta.main) {
  rmSync(REFUSALS.root, { recursive: true, force: true });
  for (const { id, fixture, bytes, prepared } of await makeRefusals()) {
    REFUSALS.writeFixture(id, fixture, bytes);
    REFUSALS.writePrepared(id, prepared);
  }
  updateCorpus(REFUSALS, replayCorpus(REFUSALS));
  process.exit();
}
