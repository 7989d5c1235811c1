/** Guard or observe, per upstream, switched while requests flow (GW-8). A request keeps the mode that it began with. */
import type { Mode } from "../engine/engine.ts";
import type { Log } from "./log.ts";
import type { Routes } from "./routes.ts";

export interface Modes {
  readonly of: (upstream: string) => Mode;
  /** @param upstream null for all of them; false where there is no such upstream */
  readonly set: (upstream: string | null, mode: Mode) => boolean;
}

export function createModes(routes: Routes, initial: Mode, log: Log): Modes {
  const modes = new Map(routes.targets.map(({ upstream }) => [upstream.name, initial]));
  return {
    of: (upstream) => modes.get(upstream) ?? initial,
    set(upstream, mode) {
      if (upstream !== null && !modes.has(upstream)) return false;
      for (const name of upstream === null ? modes.keys() : [upstream]) {
        modes.set(name, mode);
        log.modeSwitched(name, mode);
      }
      return true;
    },
  };
}
