/**
 * A `fetch` that looks at each request before it leaves: for any SDK that takes one. Requests that are legal go out with
 * the very body that was given.
 */
import type { CheckedRequest, Engine, Mode, ObservedRequest, ObservedResponse } from "../engine/engine.ts";
import type { PlannedPrefix } from "../engine/planned-prefix.ts";
import { hasDigest, isSigned } from "../engine/sealed-body.ts";
import type { PreparedHistory } from "../engine/shape-watch.ts";
import type { Upstream } from "../wire/api.ts";
import { guarded } from "./guard.ts";
import { processEngine } from "./process-engine.ts";
import { handoverTo, upstreamOf } from "./upstream.ts";

export interface WrapFetchOptions {
  /** The one of this process unless given, on the store of this machine. */
  readonly engine?: Engine;
  /** `guard` repairs what is proven, `observe` only counts. Default: HOLDFAST_MODE, or `guard`. */
  readonly mode?: Mode;
  /** Servers beside the well-known ones: what the SDK's base URL points at. */
  readonly upstreams?: readonly Upstream[];
  /** The run that the next request belongs to, null outside one: its prefix is compared with the run's plan. */
  readonly planned?: () => PlannedPrefix | null;
}

/**
 * @param prepared what the caller means to send with the call that is being made, where it knows that
 * @example
 * const client = new Anthropic({ fetch: wrapFetch(fetch) });
 */
export function wrapFetch(
  inner: typeof fetch,
  options: WrapFetchOptions = {},
  prepared: () => PreparedHistory | undefined = () => undefined,
): typeof fetch {
  return async (input, init) => {
    const settled = await settle(options);
    const looked = settled === null ? null : await look(input, init, settled, prepared());
    if (settled === null || looked === null) return await inner(input, init);
    const { engine } = settled;
    const { observed, checked } = looked;
    const response = await inner(input, withBody(init, observed.body, checked.body));
    if (!mayRetry(observed, response)) return observing(engine, checked, response);
    const rejection = await readWhole(response);
    const retried = await retry(engine, checked, rejection);
    const first = rebuilt(response, Buffer.from(rejection.body));
    if (retried === null) return first;
    // If the repair does not help, or does not arrive, the caller sees the provider's first answer.
    const second = await inner(input, withBody(init, observed.body, retried.body)).catch(() => null);
    return second?.ok ? observing(engine, retried, second) : first;
  };
}

type Settled = Required<WrapFetchOptions>;

const NO_PLAN = () => null;

/** Null where there is no engine and none can be opened: the call goes out as if we were not there. */
async function settle({ engine, mode, upstreams = [], planned = NO_PLAN }: WrapFetchOptions): Promise<Settled | null> {
  if (engine !== undefined) return { engine, mode: mode ?? "guard", upstreams, planned };
  try {
    const { engine, settings } = await processEngine();
    return { engine, mode: mode ?? settings.mode, upstreams: [...upstreams, ...settings.upstreams], planned };
  } catch {
    // Expected: a machine without a home folder. There is nothing to count with.
    return null;
  }
}

async function look(
  input: string | URL | Request,
  init: RequestInit | undefined,
  settled: Settled,
  prepared: PreparedHistory | undefined,
): Promise<{ observed: ObservedRequest; checked: CheckedRequest } | null> {
  return await guarded(settled.engine, "fetch_check", null, async () => {
    const call = readCall(input, init, settled);
    if (call === null) return null;
    const observed = prepared === undefined ? call : { ...call, prepared };
    return { observed, checked: await settled.engine.checkRequest(observed) };
  });
}

/** Null for calls without a body that can be looked at: their stream belongs to the caller. */
function readCall(
  input: string | URL | Request,
  init: RequestInit | undefined,
  { mode, upstreams, planned }: Settled,
): ObservedRequest | null {
  const body = bytesOf(init?.body);
  if (body === null || input instanceof Request) return null;
  const url = new URL(input);
  const { upstream, path } = upstreamOf(url, upstreams);
  const headers = Object.fromEntries(new Headers(init?.headers));
  const run = planned();
  const ofRun = run === null ? {} : { planned: run };
  const sealed = isSigned(headers) || hasDigest(headers);
  return {
    upstream,
    mode: sealed ? "observe" : mode,
    method: init?.method ?? "POST",
    path,
    headers,
    body,
    ...handoverTo(upstream),
    ...ofRun,
  };
}

function bytesOf(body: RequestInit["body"]): Uint8Array | null {
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  return body instanceof ArrayBuffer ? new Uint8Array(body) : null;
}

/** The caller's own init where nothing was changed. */
function withBody(init: RequestInit | undefined, before: Uint8Array, after: Uint8Array): RequestInit | undefined {
  if (before === after) return init;
  const headers = new Headers(init?.headers);
  headers.delete("content-length");
  return { ...init, headers, body: Buffer.from(after) };
}

function mayRetry({ mode, headers }: ObservedRequest, { status }: Response): boolean {
  return (status === 400 || status === 422) && mode === "guard" && headers["idempotency-key"] === undefined;
}

async function readWhole(response: Response): Promise<ObservedResponse> {
  return answerOf(response, [new Uint8Array(await response.arrayBuffer())], true);
}

async function retry(
  engine: Engine,
  checked: CheckedRequest,
  answer: ObservedResponse,
): Promise<CheckedRequest | null> {
  return await guarded<CheckedRequest | null>(engine, "fetch_retry", null, async () => {
    engine.observeResponse(checked, answer);
    const retried = await engine.retryAfterRejection(checked, answer);
    return retried !== null && Buffer.compare(retried.body, checked.body) !== 0 ? retried : null;
  });
}

/** The caller reads the answer as it comes; what has passed is looked at when it ends. */
function observing(engine: Engine, checked: CheckedRequest, response: Response): Response {
  if (response.body === null) return response;
  const passing = passBy(response.body, (chunks, complete) => {
    void guarded(engine, "fetch_observe", undefined, async () => {
      engine.observeResponse(checked, answerOf(response, chunks, complete));
    });
  });
  return rebuilt(response, passing);
}

/** Longer answers are observed without their end. */
const COPY_BYTES_MAX = 16 * 1024 * 1024;

/** Not by `clone`: with it OpenCode 1.18.33, on Bun 1.3.14, sent requests again that had been answered. */
function passBy(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  ended: (chunks: readonly Uint8Array[], complete: boolean) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          ended(chunks, size <= COPY_BYTES_MAX);
          return;
        }
        size += value.length;
        if (size <= COPY_BYTES_MAX) chunks.push(value);
        controller.enqueue(value);
      } catch (error) {
        // Expected: the provider broke off, or the caller's signal fired. The caller is told as without us.
        controller.error(error);
        ended(chunks, false);
      }
    },
    async cancel(reason) {
      ended(chunks, false);
      await reader.cancel(reason);
    },
  });
}

function answerOf({ status, headers }: Response, chunks: readonly Uint8Array[], complete: boolean): ObservedResponse {
  return { status, headers: Object.fromEntries(headers), body: Buffer.concat(chunks), complete };
}

/** The same answer, with a body that can still be read. */
function rebuilt(response: Response, body: NonNullable<RequestInit["body"]>): Response {
  const { status, statusText, headers, url } = response;
  const copy = new Response(body, { status, statusText, headers });
  return Object.defineProperty(copy, "url", { value: url });
}
