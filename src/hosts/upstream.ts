/** Which server a URL means, when there is no gateway whose configuration says it. */
import type { Handover } from "../engine/handovers.ts";
import type { Upstream } from "../wire/api.ts";

const WELL_KNOWN: readonly (Upstream & { readonly hosts: RegExp })[] = [
  { name: "anthropic", url: "https://api.anthropic.com", backend: "anthropic", hosts: /^api\.anthropic\.com$/ },
  { name: "openai", url: "https://api.openai.com", backend: "openai", hosts: /^api\.openai\.com$/ },
  { name: "azure", url: "https://azure.com", backend: "azure", hosts: /\.openai\.azure\.com$/ },
  { name: "chatgpt", url: "https://chatgpt.com", backend: "codex", hosts: /^chatgpt\.com$/ },
  {
    name: "google",
    url: "https://generativelanguage.googleapis.com",
    backend: "google",
    hosts: /^generativelanguage\.googleapis\.com$/,
  },
  {
    name: "vertex",
    url: "https://aiplatform.googleapis.com",
    backend: "vertex",
    hosts: /aiplatform\.googleapis\.com$/,
  },
  { name: "bedrock", url: "https://amazonaws.com", backend: "bedrock", hosts: /^bedrock-runtime\..*\.amazonaws\.com$/ },
  { name: "mistral", url: "https://api.mistral.ai", backend: "mistral", hosts: /^api\.mistral\.ai$/ },
  { name: "deepseek", url: "https://api.deepseek.com", backend: "deepseek", hosts: /^api\.deepseek\.com$/ },
  { name: "moonshot", url: "https://api.moonshot.ai", backend: "moonshot", hosts: /^api\.moonshot\.(ai|cn)$/ },
  { name: "groq", url: "https://api.groq.com", backend: "groq", hosts: /^api\.groq\.com$/ },
  { name: "cerebras", url: "https://api.cerebras.ai", backend: "cerebras", hosts: /^api\.cerebras\.ai$/ },
];

/** @param configured servers of the user; the one with the longest matching URL is meant */
export function upstreamOf(url: URL, configured: readonly Upstream[]): { upstream: Upstream; path: string } {
  const own = configured
    .filter((upstream) => isBelow(url.href, withoutSlash(upstream.url)))
    .toSorted((a, b) => b.url.length - a.url.length)[0];
  if (own !== undefined) return { upstream: own, path: url.href.slice(withoutSlash(own.url).length) };
  const known = WELL_KNOWN.find(({ hosts }) => hosts.test(url.hostname));
  const path = url.pathname + url.search;
  if (known === undefined) return { upstream: { name: url.host, url: url.origin }, path };
  const { hosts: _, ...upstream } = known;
  return { upstream, path };
}

/** On this machine, what answers may be a gateway on the same store. */
export function handoverTo({ url }: Upstream): { readonly handover?: Handover } {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname) ? { handover: "give" } : {};
}

/** A server of the user; the name of a well-known one says who answers there. */
export function namedUpstream(name: string, url: string): Upstream {
  const backend = WELL_KNOWN.find((known) => known.name === name)?.backend;
  return backend === undefined ? { name, url } : { name, url, backend };
}

function isBelow(href: string, base: string): boolean {
  return href.startsWith(base) && ["", "/", "?"].includes(href.charAt(base.length));
}

function withoutSlash(url: string): string {
  return url.endsWith("/") ? url.slice(0, -1) : url;
}
