/**
 * `holdfast/opencode`: the plugin that OpenCode loads from this package (as its `./server` export). No hook sees a
 * payload, and one that throws ends the turn. So the work is done in the hook that is handed the configuration at start:
 * it gives every provider a `fetch`.
 */
import { guarded } from "../guard.ts";
import { processEngine } from "../process-engine.ts";
import { wrapFetch } from "../wrap-fetch.ts";

interface ProviderConfig {
  options?: { fetch?: typeof fetch };
}

/** The parts of OpenCode's configuration that name a provider. */
export interface OpencodeConfig {
  provider?: Record<string, ProviderConfig>;
  /** `provider/model` */
  model?: string;
  small_model?: string;
}

export interface OpencodeHooks {
  config(config: OpencodeConfig): Promise<void>;
  /** OpenCode waits for it before it ends; without it a turn of `opencode run` would leave nothing in the store. */
  dispose(): Promise<void>;
}

async function server(): Promise<OpencodeHooks> {
  return {
    async config(config) {
      try {
        watchProviders(config);
      } catch {
        // Expected: a configuration of another shape than today's. OpenCode must start in spite of it.
      }
    },
    async dispose() {
      const { engine } = await processEngine();
      await guarded(engine, "opencode_flush", undefined, () => engine.flush());
    },
  };
}

export default { id: "holdfast", server };

/** Providers that only a login names stay as they are: an entry here would show them as configured. */
function watchProviders(config: OpencodeConfig): void {
  config.provider ??= {};
  for (const model of [config.model, config.small_model]) {
    const [name] = model?.split("/", 1) ?? [];
    if (name) config.provider[name] ??= {};
  }
  for (const provider of Object.values(config.provider)) {
    const own = provider.options?.fetch;
    const inner: typeof fetch = (input, init) => (own ?? globalThis.fetch)(input, init);
    provider.options = { ...provider.options, fetch: wrapFetch(inner) };
  }
}
