import { PrefixCacheMeter } from "./meter/prefix-cache-meter.ts";
import { ProviderMemory } from "./provider-memory.ts";
import { fillOptions, type ProviderSettings, type SimulatedProviderOptions } from "./provider-options.ts";

/** What a validator may know beside the body: the settings, and what this provider has issued before. */
export interface ProviderContext {
  readonly settings: ProviderSettings;
  readonly memory: ProviderMemory;
  readonly meter: PrefixCacheMeter;
}

export function createProviderContext(options: SimulatedProviderOptions = {}): ProviderContext {
  const settings = fillOptions(options);
  return { settings, memory: new ProviderMemory(options.idSeed), meter: new PrefixCacheMeter(settings.clock) };
}
