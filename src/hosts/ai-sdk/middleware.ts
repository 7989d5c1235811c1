/**
 * `holdfast/ai-sdk`: a language-model middleware for AI SDK 7 and 6. A middleware sees the prompt before the provider's
 * package encodes it, and no bytes. So this one puts its `fetch` in front of the one that the model sends with, and lets
 * it know of the prompt.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { PreparedHistory } from "../../engine/shape-watch.ts";
import { processEngine } from "../process-engine.ts";
import { type WrapFetchOptions, wrapFetch } from "../wrap-fetch.ts";
import { type CallParams, promptRows } from "./rows.ts";

/** As both versions of the SDK take it; version 7 takes any specification version. */
export interface HoldfastMiddleware {
  readonly specificationVersion: "v3";
  wrapGenerate<T>(call: ModelCall & { readonly doGenerate: () => PromiseLike<T> }): Promise<T>;
  wrapStream<T>(call: ModelCall & { readonly doStream: () => PromiseLike<T> }): Promise<T>;
}

interface ModelCall {
  readonly model: object;
  readonly params: CallParams;
}

/**
 * Stands last in a list of middlewares: the others wrap it.
 * @example
 * const model = wrapLanguageModel({ model: anthropic("claude-opus-5-5"), middleware: holdfast() });
 */
export function holdfast(options: WrapFetchOptions = {}): HoldfastMiddleware {
  return {
    specificationVersion: "v3",
    async wrapGenerate({ doGenerate, model, params }) {
      await watch(model, options);
      return await calls.run(preparedFor(params), doGenerate);
    },
    async wrapStream({ doStream, model, params }) {
      await watch(model, options);
      return await calls.run(preparedFor(params), doStream);
    },
  };
}

/** A model may be called by many at once: which prompt a request was made of is known by where it was made. */
const calls = new AsyncLocalStorage<PreparedHistory | undefined>();

function preparedFor(params: CallParams): PreparedHistory | undefined {
  try {
    const rows = promptRows(params);
    return rows === null ? undefined : { host: "ai-sdk", rows, form: "host", edits: [], operation: null };
  } catch {
    // Expected: a prompt of another shape than today's. The request is judged without it.
    return undefined;
  }
}

interface ModelConfig {
  fetch?: typeof fetch;
}

/** A model keeps what it sends with; its calls are looked at once, however many middlewares it has. */
const watched = new WeakSet<ModelConfig>();

async function watch(model: object, options: WrapFetchOptions): Promise<void> {
  try {
    const { config } = model as { readonly config?: ModelConfig };
    if (config === undefined) return await countUnread(options);
    if (watched.has(config)) return;
    const own = config.fetch;
    // The SDK looks the global one up at each call, too: others may have replaced it.
    config.fetch = wrapFetch(
      (input, init) => (own ?? globalThis.fetch)(input, init),
      options,
      () => calls.getStore(),
    );
    watched.add(config);
  } catch {
    // Expected: a model whose parts cannot be changed. It sends as if we were not there.
    await countUnread(options).catch(() => {});
  }
}

async function countUnread({ engine }: WrapFetchOptions): Promise<void> {
  const counting = engine ?? (await processEngine()).engine;
  counting.count("request_unread", { upstream: "ai-sdk", reason: "model" });
}
