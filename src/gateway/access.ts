/**
 * Who may talk to the gateway (GW-2, GW-4): a page in a browser on this machine must not reach it through a name that it
 * controls (DNS rebinding), and a gateway that others can reach asks for its token.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { BoundedMap } from "../lib/bounded-map.ts";
import { TOKEN_HEADER } from "./headers.ts";
import type { OwnError } from "./provider-error.ts";
import type { Route } from "./routes.ts";

/** A client names the same host in every request, so that a judged one need not be taken apart again. */
const HOSTS_MAX = 64;

export interface AccessOptions {
  readonly token: string;
  /** Whether requests that go to an upstream need the token too, not only the ones that change something. */
  readonly tokenRequired: boolean;
  readonly listenHost: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

export interface Access {
  isToken(value: string): boolean;
  isAuthorised(request: IncomingMessage, route: Route): boolean;
  /** Null if the request may go on. */
  refusal(request: IncomingMessage, route: Route): OwnError | null;
}

export function createAccess(options: AccessOptions): Access {
  const expected = digest(options.token);
  const isToken = (value: string) => timingSafeEqual(digest(value), expected);
  const names = new Set(["localhost", options.listenHost, hostname(), ...options.allowedHosts].map(toLower));
  const origins = new Set(options.allowedOrigins.map(toLower));

  const judgedHosts = new BoundedMap<string, boolean>(HOSTS_MAX);
  const isKnown = (host: string) => {
    const judged = judgedHosts.get(host) ?? isKnownHost(host, names);
    judgedHosts.set(host, judged);
    return judged;
  };

  const isAuthorised = (request: IncomingMessage, route: Route) => {
    const header = request.headers[TOKEN_HEADER];
    return route.token !== null || (typeof header === "string" && isToken(header));
  };
  return {
    isToken,
    isAuthorised,
    refusal(request, route) {
      // A page cannot know the token, so whoever sends it may use any name.
      if (isAuthorised(request, route)) return null;
      // HTTP/1.0 sends no host, and no browser speaks it.
      const { host } = request.headers;
      if (host !== undefined && !isKnown(host)) return hostRefusal;
      if (!isKnownOrigin(request.headers.origin, origins)) return originRefusal;
      if (options.tokenRequired && route.kind !== "own") return tokenRefusal;
      return null;
    },
  };
}

const hostRefusal: OwnError = {
  status: 403,
  code: "host_not_allowed",
  message: "the Host header is not a name of this gateway. Use its address, or allow the name with allowedHosts.",
};

const originRefusal: OwnError = {
  status: 403,
  code: "origin_not_allowed",
  message: "the Origin header is not of this machine. Allow it with allowedOrigins if that page may use the gateway.",
};

const tokenRefusal: OwnError = {
  status: 401,
  code: "token_required",
  message: `this gateway needs its token: send it as ${TOKEN_HEADER}, or put it in front of the path of the base URL.`,
};

/** An address cannot be rebound, only a name can. */
function isKnownHost(host: string, names: ReadonlySet<string>): boolean {
  const url = URL.parse(`http://${host}`);
  if (url === null || url.pathname !== "/" || url.username !== "") return false;
  return isIP(bare(url.hostname)) !== 0 || names.has(bare(url.hostname));
}

function isKnownOrigin(origin: string | undefined, origins: ReadonlySet<string>): boolean {
  if (origin === undefined || origins.has(toLower(origin))) return true;
  const url = URL.parse(origin);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return false;
  return isLoopback(url.hostname);
}

export function isLoopback(host: string): boolean {
  const name = bare(host);
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "").toLowerCase();
}

function toLower(text: string): string {
  return text.toLowerCase();
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
