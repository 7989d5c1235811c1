/** The smallest engine there is: it admits everything, counts, and lets a test answer in its place. */
import type {
  CheckedRequest,
  Counter,
  Engine,
  ObservedRequest,
  ObservedResponse,
  ResponseRecord,
} from "../../src/engine/engine.ts";

export interface PassThroughEngine extends Engine {
  readonly requests: ObservedRequest[];
  readonly responses: ObservedResponse[];
  counted(name: string, labels?: Readonly<Record<string, string>>): number;
}

export type Overrides = Partial<Pick<Engine, "checkRequest" | "retryAfterRejection" | "observeResponse" | "count">>;

export function createPassThroughEngine(overrides: Overrides = {}): PassThroughEngine {
  const requests: ObservedRequest[] = [];
  const responses: ObservedResponse[] = [];
  const counters = new Map<string, Counter>();
  return {
    requests,
    responses,
    inject: () => ({ kind: "carry" }),
    retire: () => {},
    prepareTurn: ({ host, operation, array: { rows } }) => ({
      rows,
      prepared: { host, operation, form: "host", rows: [], edits: [] },
    }),
    async checkRequest(request) {
      requests.push(request);
      return overrides.checkRequest ? await overrides.checkRequest(request) : admit(request);
    },
    async retryAfterRejection(checked, response) {
      return overrides.retryAfterRejection ? await overrides.retryAfterRejection(checked, response) : null;
    },
    observeResponse(checked, response) {
      responses.push(response);
      return overrides.observeResponse ? overrides.observeResponse(checked, response) : nothingSeen(response);
    },
    count(name, labels = {}) {
      overrides.count?.(name, labels);
      const key = JSON.stringify([name, labels]);
      counters.set(key, { name, labels, count: (counters.get(key)?.count ?? 0) + 1 });
    },
    counted: (name, labels = {}) => counters.get(JSON.stringify([name, labels]))?.count ?? 0,
    counters: () => [...counters.values()],
    flush: async () => {},
    close: async () => {},
  };
}

export function admit(request: ObservedRequest): CheckedRequest {
  return {
    body: request.body,
    before: null,
    ownAnswer: null,
    record: {
      id: `r${request.body.length}`,
      at: 0,
      upstream: request.upstream.name,
      api: null,
      backend: request.upstream.backend ?? "unknown",
      model: null,
      session: "s1",
      lane: "l1",
      bytes: request.body.length,
      rows: 0,
      verdict: { kind: "admit" },
      outcome: "sent",
      edits: [],
      bodySha256: null,
    },
  };
}

export function repaired(request: ObservedRequest, body: Uint8Array): CheckedRequest {
  return { body, before: null, ownAnswer: null, record: { ...admit(request).record, outcome: "repaired" } };
}

function nothingSeen({ status }: ObservedResponse): ResponseRecord {
  return { status, usage: null, rejection: null };
}
