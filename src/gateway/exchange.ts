/** One request on its way through the gateway, and the parts of the gateway that it meets. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Mode } from "../engine/engine.ts";
import { hasDigest } from "../engine/sealed-body.ts";
import type { Clock } from "../lib/clock.ts";
import type { Access } from "./access.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { Agents } from "./forward.ts";
import type { GuardedEngine } from "./guarded-engine.ts";
import type { Log } from "./log.ts";
import type { PrefixCauses } from "./prefix-cause.ts";
import type { Routes, Target } from "./routes.ts";
import type { TurnLog } from "./turn-log.ts";

export interface GatewayParts {
  readonly routes: Routes;
  readonly access: Access;
  readonly engine: GuardedEngine;
  readonly agents: Agents;
  readonly memory: BodyMemory;
  readonly prefixes: PrefixCauses;
  readonly turns: TurnLog;
  readonly log: Log;
  readonly clock: Clock;
  readonly modeOf: (upstream: string) => Mode;
  /** Answers the gateway's own paths: status page and API. */
  readonly own: (request: IncomingMessage, response: ServerResponse, authorised: boolean) => Promise<void>;
}

export interface Exchange {
  readonly parts: GatewayParts;
  readonly target: Target;
  readonly path: string;
  readonly mode: Mode;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
}

export function openExchange(
  parts: GatewayParts,
  { target, path }: { target: Target; path: string },
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  request.on("error", () => {});
  response.on("error", () => {});
  // A repaired body would no longer be what its digest says, so such a request is only looked at (DG-24).
  const mode = hasDigest(request.headers) ? "observe" : parts.modeOf(target.upstream.name);
  return { parts, target, path, mode, request, response, startedAt: parts.clock.now() };
}
