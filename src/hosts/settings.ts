/** What a person sets for the hosts of this machine: the environment variables that the program `holdfast` reads too. */
import type { Mode } from "../engine/engine.ts";
import { locateDefaultStore } from "../store/data-folder.ts";
import type { Upstream } from "../wire/api.ts";
import { namedUpstream } from "./upstream.ts";

export interface HostSettings {
  readonly storeUrl: string;
  readonly mode: Mode;
  readonly upstreams: readonly Upstream[];
  /** Folder for redacted bodies; none are kept without it. */
  readonly captureBodies: string | null;
}

/** A setting that cannot be read is as good as none: an agent must start in spite of it. */
export function readHostSettings(env: NodeJS.ProcessEnv): HostSettings {
  const words = env.HOLDFAST_UPSTREAMS?.split(/\s+/) ?? [];
  return {
    storeUrl: env.HOLDFAST_STORE || locateDefaultStore(env),
    mode: env.HOLDFAST_MODE === "observe" ? "observe" : "guard",
    captureBodies: env.HOLDFAST_CAPTURE_BODIES || null,
    upstreams: words.map(parseUpstream).filter((upstream) => upstream !== null),
  };
}

/** `NAME=URL` */
function parseUpstream(word: string): Upstream | null {
  const equals = word.indexOf("=");
  const url = word.slice(equals + 1);
  return equals > 0 && URL.canParse(url) ? namedUpstream(word.slice(0, equals), url) : null;
}
