/** Which server a URL means, when there is no gateway whose configuration says it. */
import type { Handover } from "../engine/handovers.ts";
import type { Upstream } from "../wire/api.ts";
import type { AgentModel } from "./agent-api.ts";

const WELL_KNOWN: readonly (Upstream & { readonly hosts: RegExp })[] = [
  { name: "anthropic", url: "https://api.anthropic.com", backend: "anthropic", hosts: /^api\.anthropic\.com$/ },
  { name: "openai", url: "https://api.openai.com", backend: "openai", hosts: /^api\.openai\.com$/ },
  { name: "azure", url: "https://azure.com", backend: "azure", hosts: /\.(openai|cognitiveservices|ai)\.azure\.com$/ },
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
    hosts: /(^|-)aiplatform(\.(eu|us)\.rep)?\.googleapis\.com$/,
  },
  { name: "bedrock", url: "https://amazonaws.com", backend: "bedrock", hosts: /^bedrock-runtime\..*\.amazonaws\.com$/ },
  { name: "mistral", url: "https://api.mistral.ai", backend: "mistral", hosts: /^api\.mistral\.ai$/ },
  { name: "deepseek", url: "https://api.deepseek.com", backend: "deepseek", hosts: /^api\.deepseek\.com$/ },
  { name: "moonshot", url: "https://api.moonshot.ai", backend: "moonshot", hosts: /^api\.moonshot\.(ai|cn)$/ },
  { name: "groq", url: "https://api.groq.com", backend: "groq", hosts: /^api\.groq\.com$/ },
  { name: "cerebras", url: "https://api.cerebras.ai", backend: "cerebras", hosts: /^api\.cerebras\.ai$/ },
];

/** Who answers an agent's model; null where nothing says it. */
export function upstreamOfModel(model: AgentModel | undefined, configured: readonly Upstream[]): Upstream | null {
  if (model === undefined) return null;
  const address = addressOf(model);
  if (URL.canParse(address)) return upstreamOf(new URL(address), configured).upstream;
  const company = MADE_LATER[model.api];
  return company === undefined ? null : wellKnown(company);
}

/** Pi and OMP take Azure's from the environment first. */
function addressOf({ api, baseUrl = "" }: AgentModel): string {
  return (api === "azure-openai-responses" && process.env.AZURE_OPENAI_BASE_URL?.trim()) || baseUrl;
}

/** Where a model may be without an address: it is made of a region or a resource when the request is sent. */
const MADE_LATER: Readonly<Record<string, string>> = {
  "azure-openai-responses": "azure",
  "bedrock-converse-stream": "bedrock",
  "google-vertex": "vertex",
};

/** @param configured servers of the user; the one with the longest matching URL is meant */
export function upstreamOf(url: URL, configured: readonly Upstream[]): { upstream: Upstream; path: string } {
  const own = configured
    .filter((upstream) => isBelow(url.href, withoutSlash(upstream.url)))
    .toSorted((a, b) => b.url.length - a.url.length)[0];
  if (own !== undefined) return { upstream: own, path: url.href.slice(withoutSlash(own.url).length) };
  const known = WELL_KNOWN.find(({ hosts }) => hosts.test(url.hostname));
  const path = url.pathname + url.search;
  return { upstream: known === undefined ? { name: url.host, url: url.origin } : wellKnown(known.name)!, path };
}

function wellKnown(name: string): Upstream | null {
  const found = WELL_KNOWN.find((known) => known.name === name);
  if (found === undefined) return null;
  const { hosts: _, ...upstream } = found;
  return upstream;
}

/** On this machine, what answers may be a gateway on the same store. */
export function handoverTo({ url }: Upstream): { readonly handover?: Handover } {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname) ? { handover: "give" } : {};
}

/** A server of the user; the name of a well-known one says who answers there. */
export function namedUpstream(name: string, url: string): Upstream {
  const backend = wellKnown(name)?.backend;
  return backend === undefined ? { name, url } : { name, url, backend };
}

function isBelow(href: string, base: string): boolean {
  return href.startsWith(base) && ["", "/", "?"].includes(href.charAt(base.length));
}

function withoutSlash(url: string): string {
  return url.endsWith("/") ? url.slice(0, -1) : url;
}
