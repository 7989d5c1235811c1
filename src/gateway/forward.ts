/**
 * Sends one request to its upstream and says what came of it. No fetch, no retry, no response timeout: how long an
 * answer may take is the client's business (GW-7).
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { HoldfastError } from "../lib/error.ts";
import type { RawHeaders } from "./headers.ts";
import type { Target } from "./routes.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/** Providers close idle connections after a minute or more; we do it first, so that a turn rarely meets a dead one. */
const IDLE_SOCKET_MS = 50_000;

/** Responses of chat backends carry long cookies and policies; the default of 16 KiB refuses some of them. */
export const HEADER_BYTES_MAX = 64 * 1024;

const agentOptions = {
  keepAlive: true,
  timeout: IDLE_SOCKET_MS,
  // One unused connection per upstream and core is plenty; more would only be closed by the other side.
  maxFreeSockets: 32,
  // The default of 250 ms gives up on an address family before a far host can answer.
  autoSelectFamilyAttemptTimeout: 2_500,
};

const loopback = ["localhost", "127.0.0.1", "::1", "[::1]"];

export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/**
 * @param env the agents that we stand in for go through the proxy that `HTTPS_PROXY` names, and so do we (Node 22.21 and
 * 24.5 or newer). Upstreams on this machine never do.
 * @throws HoldfastError `proxy_invalid`
 */
export function createAgents(env: NodeJS.ProcessEnv): Agents {
  const noProxy = [env.no_proxy ?? env.NO_PROXY ?? "", ...loopback].filter((name) => name !== "").join(",");
  const options = { ...agentOptions, proxyEnv: { ...env, no_proxy: noProxy, NO_PROXY: noProxy } };
  try {
    return { http: new HttpAgent(options), https: new HttpsAgent(options) };
  } catch (cause) {
    // The value is not shown: it may hold a password.
    const message = "HTTP_PROXY or HTTPS_PROXY is not the URL of a proxy: correct or unset it.";
    throw new HoldfastError("proxy_invalid", message, { cause });
  }
}

export function closeAgents(agents: Agents): void {
  agents.http.destroy();
  agents.https.destroy();
}

export interface OutgoingRequest {
  readonly target: Target;
  readonly method: string;
  /** Path and query at the upstream. */
  readonly path: string;
  readonly headers: RawHeaders;
  /** Where the answer goes: whoever waits there may leave, which ends the exchange. */
  readonly client: ServerResponse;
  /** Writes the body and ends the request. */
  readonly writeBody: (outgoing: ClientRequest) => void;
}

export type Answer =
  /** `requestSent` says whether all of the request has left: an upstream may answer before it has read it. */
  | { readonly kind: "response"; readonly response: IncomingMessage; readonly requestSent: () => boolean }
  | { readonly kind: "failed"; readonly failure: UpstreamFailure }
  | { readonly kind: "client-left" };

export interface UpstreamFailure {
  readonly code: "upstream_unreachable" | "upstream_timeout" | "upstream_closed" | "upstream_garbled";
  readonly message: string;
}

export function sendUpstream(agents: Agents, outgoing: OutgoingRequest): Promise<Answer> {
  const { target, client } = outgoing;
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const request = openRequest(agents, outgoing);
  const leave = () => {
    if (client.writableFinished) return;
    resolve({ kind: "client-left" });
    request.destroy();
  };
  if (client.destroyed) leave();
  else client.once("close", leave);
  request.once("close", () => client.off("close", leave));
  const requestSent = () => request.writableFinished;
  request.once("response", (response) => resolve({ kind: "response", response, requestSent }));
  // An error behind the response is seen on the response itself; this promise is settled by then.
  request.on("error", (error) => resolve({ kind: "failed", failure: toFailure(error, request, target) }));
  outgoing.writeBody(request);
  return promise;
}

export function openRequest(agents: Agents, outgoing: Omit<OutgoingRequest, "writeBody" | "client">): ClientRequest {
  const { target, method, path, headers } = outgoing;
  const options = {
    host: target.hostname,
    port: target.port,
    method,
    path,
    headers,
    setDefaultHeaders: false,
    maxHeaderSize: HEADER_BYTES_MAX,
  };
  const request = target.tls
    ? httpsRequest({ ...options, agent: agents.https })
    : httpRequest({ ...options, agent: agents.http });
  limitConnect(request, target.tls);
  return request;
}

/** Ten seconds to connect, proxy and TLS included. A connection that is in use already has done so. */
function limitConnect(request: ClientRequest, tls: boolean): void {
  if (request.reusedSocket) return;
  const timer = setTimeout(() => {
    request.destroy(Object.assign(new Error("no connection within 10 s"), { code: "ETIMEDOUT" }));
  }, CONNECT_TIMEOUT_MS);
  const connected = () => clearTimeout(timer);
  request.once("socket", (socket) => {
    if (socket.connecting) socket.once(tls ? "secureConnect" : "connect", connected);
    else connected();
  });
  request.once("close", connected);
}

export function toFailure(error: NodeJS.ErrnoException, request: ClientRequest, target: Target): UpstreamFailure {
  const code = error.code ?? "unknown";
  const upstream = `upstream "${target.upstream.name}" (${target.host})`;
  if (code === "ETIMEDOUT") {
    return { code: "upstream_timeout", message: `No connection to ${upstream} within 10 s.` };
  }
  if (code.startsWith("HPE_")) {
    return { code: "upstream_garbled", message: `The answer of ${upstream} is not HTTP (${code}).` };
  }
  if (request.reusedSocket || code === "ECONNRESET" || code === "EPIPE") {
    // Whether the upstream has read the request is unknown, so only the client may decide to send it again.
    return { code: "upstream_closed", message: `The connection to ${upstream} closed before an answer (${code}).` };
  }
  return { code: "upstream_unreachable", message: `Cannot reach ${upstream} (${code}).` };
}
