/** The two hosts that the proposal names, by what they have in common: its acceptance runs the same tests on both. */
import { openExtendedOmp } from "../clients/extended-omp.ts";
import { openExtendedPi } from "../clients/extended-pi.ts";
import { ompModels } from "../clients/omp.ts";
import { piModels } from "../clients/pi.ts";
import { startAgent } from "./agent-process.ts";
import type { Agent } from "./agent-suite.ts";
import type { ExtendedAgent } from "./extension-suite.ts";
import type { Stage } from "./stage.ts";

export type HostApi = keyof typeof piModels;

export interface HostSession extends Omit<ExtendedAgent, "agent"> {
  readonly agent: Agent;
  /** Somebody else's extension, in front of Holdfast: JavaScript with a default export. */
  extend(name: string, source: string): void;
  /** Turns in one process, whatever becomes of them. */
  run(texts: readonly string[]): Promise<void>;
}

export interface NamedHost {
  readonly host: "Pi" | "OMP";
  /** Its package, as the suites install it. */
  readonly package: string;
  readonly open: (stage: Stage, api: HostApi) => Promise<HostSession>;
}

export const piAndOmp: readonly NamedHost[] = [
  {
    host: "Pi",
    package: "@earendil-works/pi-coding-agent",
    async open(stage, api) {
      const session = await openExtendedPi(stage, piModels[api]);
      const { agent } = session;
      return { ...session, run: async (texts) => void (await startAgent(agent.command(texts)).ended) };
    },
  },
  {
    host: "OMP",
    package: "@oh-my-pi/pi-coding-agent",
    async open(stage, api) {
      const session = await openExtendedOmp(stage, ompModels[api]);
      const { agent } = session;
      const words = ["--no-title", "-p"];
      return {
        ...session,
        extend: agent.addExtension,
        run: async (texts) => void (await startAgent(agent.command([...words, ...texts])).ended),
      };
    },
  },
];

export const hostApis = Object.keys(piModels) as HostApi[];

/** Every host with every API. */
export const hostsAndApis = piAndOmp.flatMap((host) => hostApis.map((api) => [host.host, api, host] as const));
