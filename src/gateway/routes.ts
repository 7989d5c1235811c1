/**
 * Which upstream a request goes to (GW-2). The first path segment names it; whatever follows is kept byte for byte and
 * put behind the upstream's base URL.
 */
import { HoldfastError } from "../lib/error.ts";
import type { Upstream } from "../wire/api.ts";

/** Base URLs end where the SDKs of that provider begin their paths, so that an agent's own URL keeps its tail. */
export const builtinUpstreams: readonly Upstream[] = [
  { name: "anthropic", url: "https://api.anthropic.com", backend: "anthropic" },
  { name: "openai", url: "https://api.openai.com", backend: "openai" },
  { name: "google", url: "https://generativelanguage.googleapis.com", backend: "google" },
  { name: "mistral", url: "https://api.mistral.ai", backend: "mistral" },
  { name: "chatgpt", url: "https://chatgpt.com/backend-api", backend: "codex" },
];

/** First path segments that are the gateway's own. */
const ownSegments = new Set(["", "api", "healthz", "metrics", "favicon.ico"]);

export function isOwnSegment(segment: string): boolean {
  return ownSegments.has(segment);
}

/** An upstream with its URL taken apart once, at start. */
export interface Target {
  readonly upstream: Upstream;
  readonly tls: boolean;
  readonly hostname: string;
  readonly port: number;
  /** The `Host` header: the port only where it is not the protocol's own. */
  readonly host: string;
  /** Without a slash at the end; empty for a bare host. */
  readonly basePath: string;
}

export type Route =
  | { readonly kind: "upstream"; readonly target: Target; readonly path: string; readonly token: string | null }
  | { readonly kind: "own"; readonly path: string; readonly token: string | null }
  | { readonly kind: "unknown"; readonly path: string; readonly token: string | null };

export interface Routes {
  readonly targets: readonly Target[];
  /** @param url the request target as it stood in the request line */
  resolve(url: string): Route;
}

/**
 * @param configured upstreams of the user; one with the name of a built-in replaces its URL and keeps its backend
 * @param isToken whether a first path segment is the gateway's own token
 * @throws HoldfastError `upstream_invalid`
 */
export function createRoutes(configured: readonly Upstream[], isToken: (segment: string) => boolean): Routes {
  const targets = new Map(builtinUpstreams.map((upstream) => [upstream.name, toTarget(upstream)]));
  for (const upstream of configured) {
    targets.set(upstream.name, toTarget({ ...targets.get(upstream.name)?.upstream, ...upstream }));
  }
  return {
    targets: [...targets.values()],
    resolve: (url) => resolve(url, targets, isToken),
  };
}

function resolve(url: string, targets: ReadonlyMap<string, Target>, isToken: (segment: string) => boolean): Route {
  // A target in absolute form asks for a forward proxy, and only configured upstreams are reachable.
  if (!url.startsWith("/")) return { kind: "unknown", path: url, token: null };
  let token: string | null = null;
  let path = url;
  let segment = firstSegment(path);
  if (!isOwnSegment(segment) && !targets.has(segment) && isToken(segment)) {
    token = segment;
    path = withLeadingSlash(path.slice(1 + segment.length));
    segment = firstSegment(path);
  }
  if (isOwnSegment(segment)) return { kind: "own", path, token };
  const target = targets.get(segment);
  if (target === undefined) return { kind: "unknown", path, token };
  return { kind: "upstream", target, path: withLeadingSlash(path.slice(1 + segment.length)), token };
}

function firstSegment(path: string): string {
  const end = path.slice(1).search(/[/?]/);
  return end < 0 ? path.slice(1) : path.slice(1, 1 + end);
}

function withLeadingSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function toTarget(upstream: Upstream): Target {
  const { name } = upstream;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) || isOwnSegment(name)) {
    throw new HoldfastError(
      "upstream_invalid",
      `"${name}" cannot name an upstream: it is the first path segment, so use letters, digits, dots and dashes, and not "api".`,
    );
  }
  const url = URL.parse(upstream.url);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new HoldfastError("upstream_invalid", `The URL of upstream "${name}" must begin with http:// or https://.`);
  }
  if (url.username !== "" || url.search !== "" || url.hash !== "") {
    // The value is not shown: it may hold a password.
    throw new HoldfastError(
      "upstream_invalid",
      `The URL of upstream "${name}" may hold a host, a port and a path only: credentials and queries belong to each request.`,
    );
  }
  const tls = url.protocol === "https:";
  return {
    upstream,
    tls,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (tls ? 443 : 80) : Number(url.port),
    host: url.host,
    basePath: url.pathname.replace(/\/+$/, ""),
  };
}

/** Path and query at the upstream. */
export function toUpstreamPath(target: Target, path: string): string {
  // "/anthropic" itself, without a slash behind it, is the base URL.
  return target.basePath + path;
}
