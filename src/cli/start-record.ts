/** What `holdfast start` says of itself: as JSON, and as lines to read and to paste. */
import { apiBaseUrls, connectLines } from "../gateway/connect-lines.ts";
import type { RunningGateway } from "../gateway/serve.ts";
import { list, paint, wrap } from "./output.ts";

export type StartRecord = ReturnType<typeof toStartRecord>;

export function toStartRecord(gateway: RunningGateway, about: { readonly version: string; readonly store: string }) {
  return {
    schema: 1,
    version: about.version,
    url: gateway.baseUrl,
    host: gateway.host,
    port: gateway.port,
    store: about.store,
    upstreams: gateway.upstreams.map(({ name, url }) => ({
      name,
      url,
      base_url: `${gateway.baseUrl}/${name}`,
      mode: gateway.modes.of(name),
    })),
    base_urls: apiBaseUrls(gateway.baseUrl).map(({ api, baseUrl }) => ({ api, base_url: baseUrl })),
    agents: connectLines(gateway.baseUrl).map(({ bringBack, ...line }) => ({ ...line, bring_back: bringBack })),
  };
}

export function describeStart(record: StartRecord): string {
  const modes = new Set(record.upstreams.map(({ mode }) => mode));
  return [
    `Holdfast ${record.version} listens on ${paint("bold", record.url)} (mode: ${[...modes].join(", ")})`,
    `Store ${record.store}`,
    `Status page ${record.url}/`,
    "",
    "Base URLs",
    list(record.base_urls.map(({ api, base_url }) => [api, base_url] as const)),
    "",
    "Connect an agent",
    ...record.agents.flatMap((agent) => [
      "",
      `  ${paint("bold", agent.agent)} (${agent.where})`,
      ...agent.paste.split("\n").map((line) => `    ${line}`.trimEnd()),
      ...(agent.loses === null ? [] : [wrap(`loses ${agent.loses}`, "    ")]),
      ...(agent.bring_back === null ? [] : [wrap(`to get it back: ${agent.bring_back}`, "    ")]),
    ]),
    "",
    "",
  ].join("\n");
}
