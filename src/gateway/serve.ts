/** Starts and ends a gateway: listens, wires the parts together, drains on close. */
import { randomBytes } from "node:crypto";
import { createServer, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Engine, Mode } from "../engine/engine.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { HoldfastError } from "../lib/error.ts";
import type { Upstream } from "../wire/api.ts";
import { createAccess, isLoopback } from "./access.ts";
import { BodyMemory } from "./body-memory.ts";
import type { GatewayParts } from "./exchange.ts";
import { closeAgents, createAgents, HEADER_BYTES_MAX } from "./forward.ts";
import { handleRequest } from "./gateway.ts";
import { guardEngine } from "./guarded-engine.ts";
import { createLog, type Log } from "./log.ts";
import { createModes, type Modes } from "./modes.ts";
import type { OwnApi, OwnApiParts, StatusPage, UpstreamStatus } from "./own-api.ts";
import { describePortOwner } from "./port-owner.ts";
import { openPrefixCauses, type PrefixCauses } from "./prefix-cause.ts";
import { createRoutes, isOwnSegment, type Routes } from "./routes.ts";
import { createTurnLog } from "./turn-log.ts";
import { handleUpgrade, isWebSocket } from "./upgrade.ts";

export const DEFAULT_PORT = 4141;

/** How long answers that are on their way may take when the gateway closes. */
const DRAIN_MS_MAX = 30_000;

/** A slow upload of the largest body ends well within it; a client that stalls for good does not hold memory for ever. */
const REQUEST_MS_MAX = 3_600_000;

/** Longer than the pools of the usual clients keep a connection, so that it is they who close it. */
const KEEP_ALIVE_MS = 75_000;

export interface GatewayOptions {
  /** The caller's: it is not closed with the gateway. */
  readonly engine: Engine;
  /** Default `127.0.0.1`. Any host that others can reach needs a token. */
  readonly host?: string;
  /** Default 4141; 0 takes a free one. */
  readonly port?: number;
  /** With a token given, every request to an upstream needs it. Without one, a token is made for changing modes. */
  readonly token?: string;
  /** Beside the built-in ones, or in the place of one of the same name. */
  readonly upstreams?: readonly Upstream[];
  readonly mode?: Mode;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** Where `HTTPS_PROXY` and its kin are read; the process's own environment by default. */
  readonly proxyEnv?: NodeJS.ProcessEnv;
  readonly page?: StatusPage;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly version?: string;
}

export interface RunningGateway {
  /** Without a slash at the end, and with the token as first path segment where requests need one. */
  readonly baseUrl: string;
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly upstreams: readonly Upstream[];
  readonly modes: Modes;
  /** Takes no new connection, lets answers end for at most 30 s or the time given, then cuts them off. */
  close(drainMsMax?: number): Promise<void>;
}

/** @throws HoldfastError `port_in_use`, `listen_failed`, `token_missing`, `token_invalid`, `upstream_invalid`, `proxy_invalid` */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { host = "127.0.0.1", port = DEFAULT_PORT, clock = systemClock, log = createLog() } = options;
  const token = checkedToken(options.token, host);
  const access = createAccess({
    token,
    tokenRequired: options.token !== undefined,
    listenHost: host,
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
  });
  const routes = createRoutes(options.upstreams ?? [], access.isToken);
  assertDistinct(options.token, routes);
  const modes = createModes(routes, options.mode ?? "guard", log);
  const exchanges = createExchanges(log);
  const turns = createTurnLog();
  const engine = guardEngine(options.engine, log);
  const prefixes = await openPrefixCauses((reason) => engine.count("prefix_not_compared", { reason }));
  const agents = createAgents(options.proxyEnv ?? process.env);
  const server = createServer(serverOptions);
  const listening = await listen(server, host, port);
  const openUrl = `http://${urlHost(host)}:${listening.port}`;

  const parts: GatewayParts = {
    routes,
    access,
    engine,
    agents,
    memory: new BodyMemory(),
    prefixes,
    turns,
    log,
    clock,
    modeOf: modes.of,
    own: ownApiWhenAsked({
      version: options.version ?? "0.0.0",
      startedAt: clock.now(),
      baseUrl: openUrl,
      upstreams: () => toStatus(routes, modes),
      setMode: modes.set,
      turns,
      counters: () => options.engine.counters(),
      openExchanges: () => exchanges.count(),
      page: options.page ?? null,
    }),
  };
  server.on("request", (request, response) => exchanges.add(handleRequest(parts, request, response), response));
  server.on("upgrade", (request, socket, start) => exchanges.add(handleUpgrade(parts, request, socket, start), socket));
  log.started({ host, port: listening.port, upstreams: routes.targets.map(({ upstream }) => upstream.name) });

  return {
    baseUrl: options.token === undefined ? openUrl : `${openUrl}/${token}`,
    host,
    port: listening.port,
    token,
    upstreams: routes.targets.map(({ upstream }) => upstream),
    modes,
    async close(drainMsMax = DRAIN_MS_MAX) {
      await drain(server, exchanges, prefixes, drainMsMax);
      await prefixes.close();
      closeAgents(agents);
      log.closed();
    },
  };
}

const serverOptions: ServerOptions = {
  maxHeaderSize: HEADER_BYTES_MAX,
  requestTimeout: REQUEST_MS_MAX,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // Read by Node 24.9 and newer; an older one treats every Upgrade as if it were a WebSocket.
  shouldUpgradeCallback: isWebSocket,
};

/** What serves the gateway's own pages takes longer to load than all the rest, and many gateways are never asked. */
function ownApiWhenAsked(parts: OwnApiParts): OwnApi {
  let api: Promise<OwnApi> | undefined;
  return async (request, response, authorised) => {
    api ??= import("./own-api.ts").then(({ createOwnApi }) => createOwnApi(parts));
    await (await api)(request, response, authorised);
  };
}

function checkedToken(given: string | undefined, host: string): string {
  if (given === undefined) {
    if (isLoopback(host)) return randomBytes(16).toString("hex");
    throw new HoldfastError(
      "token_missing",
      `Listening on ${host} lets other machines in, so it needs a token: add --token, or use --host 127.0.0.1.`,
    );
  }
  if (/^[A-Za-z0-9._~-]+$/.test(given)) return given;
  throw new HoldfastError(
    "token_invalid",
    "The token travels in a URL: use letters, digits, dots, dashes and underscores only.",
  );
}

function assertDistinct(token: string | undefined, routes: Routes): void {
  if (token === undefined) return;
  if (routes.targets.some(({ upstream }) => upstream.name === token) || isOwnSegment(token)) {
    throw new HoldfastError(
      "token_invalid",
      "The token is also the name of an upstream or of a page: take another one.",
    );
  }
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host, port, exclusive: true }, resolve);
  try {
    await promise;
  } catch (error) {
    throw await toListenError(error as NodeJS.ErrnoException, host, port);
  } finally {
    server.off("error", reject);
  }
  return server.address() as AddressInfo;
}

async function toListenError(cause: NodeJS.ErrnoException, host: string, port: number): Promise<HoldfastError> {
  if (cause.code === "EADDRINUSE") {
    const owner = (await describePortOwner(host, port)) ?? "another process";
    return new HoldfastError(
      "port_in_use",
      `Port ${port} on ${host} is taken by ${owner}. Stop it, or choose another port with --port.`,
      { cause, details: { host, port, owner } },
    );
  }
  return new HoldfastError("listen_failed", `Cannot listen on ${host}:${port} (${cause.code ?? cause.message}).`, {
    cause,
  });
}

function urlHost(host: string): string {
  // An address for all interfaces is none that a client can use; on this machine loopback reaches it.
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

function toStatus(routes: Routes, modes: Modes): readonly UpstreamStatus[] {
  return routes.targets.map(({ upstream: { name, url } }) => ({ name, url, mode: modes.of(name) }));
}

/** What is on its way, so that closing can wait for it. */
interface Exchanges {
  add(exchange: Promise<void>, client: ServerResponse | Duplex): void;
  count(): number;
  /** Resolves when the last one has ended. */
  ended(): Promise<unknown>;
  cutOff(): void;
}

function createExchanges(log: Log): Exchanges {
  const open = new Map<Promise<void>, ServerResponse | Duplex>();
  return {
    add(exchange, client) {
      const watched = exchange
        .catch((error: unknown) => {
          // Nothing on the way is expected to throw; if it does, this client must not wait for ever.
          log.ownFailure("exchange", error);
          client.destroy();
        })
        .finally(() => open.delete(watched));
      open.set(watched, client);
    },
    count: () => open.size,
    ended: () => Promise.all(open.keys()),
    cutOff: () => {
      for (const client of open.values()) client.destroy();
    },
  };
}

async function drain(server: Server, exchanges: Exchanges, prefixes: PrefixCauses, drainMsMax: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const cutOff = setTimeout(() => {
    exchanges.cutOff();
    void prefixes.close();
    server.closeAllConnections();
  }, drainMsMax);
  await exchanges.ended();
  // A client keeps its connection open behind the last answer; with nothing on the way it may go.
  server.closeAllConnections();
  await closed;
  clearTimeout(cutOff);
}
