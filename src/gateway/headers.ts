/**
 * Which headers travel on (GW-4). Both directions work on `rawHeaders`, the flat list of names and values as they stood
 * on the wire: spelling, order and duplicates survive, and nothing is added beyond what HTTP demands of a hop.
 */

/** Name, value, name, value, … as `node:http` gives and takes them. */
export type RawHeaders = readonly string[];

export const TOKEN_HEADER = "x-holdfast-token";
export const ERROR_HEADER = "x-holdfast-error";

/** RFC 9110, section 7.6.1, and its older companions: they speak of one connection, not of the message. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/** A `Connection` header may name more headers of its hop, but never one that the message needs to be read. */
const framing = new Set(["content-length", "host", "transfer-encoding"]);

/**
 * The client's headers as the upstream gets them: hop-by-hop headers and our own token are gone, `Host` names the
 * upstream. `Transfer-Encoding` stays: a chunked body is sent on chunked.
 */
export function toUpstreamHeaders(raw: RawHeaders, host: string): string[] {
  return addressedTo(host, raw, droppedNames(raw));
}

/** The same for a WebSocket handshake, whose point is the `Connection` and `Upgrade` headers. */
export function toUpgradeHeaders(raw: RawHeaders, host: string): string[] {
  return addressedTo(host, raw, new Set());
}

/** The upstream's headers as the client gets them. The framing of the client's connection is chosen by `node:http`. */
export function toClientHeaders(raw: RawHeaders): string[] {
  const dropped = droppedNames(raw);
  const headers: string[] = [];
  for (const [name, value, lower] of pairs(raw)) {
    if (lower !== "transfer-encoding" && !dropped.has(lower)) headers.push(name, value);
  }
  return headers;
}

/** The headers of a repaired body: it is plain, and its length is new (DG-24). */
export function withNewBody(headers: RawHeaders, bodyBytes: number): string[] {
  const kept: string[] = [];
  for (const [name, value, lower] of pairs(headers)) {
    if (lower !== "content-encoding" && lower !== "content-length" && lower !== "transfer-encoding") {
      kept.push(name, value);
    }
  }
  kept.push("Content-Length", String(bodyBytes));
  return kept;
}

/** Lower-case names, one value each: what the engine looks at. Our own token is not among them. */
export function toHeaderRecord(headers: NodeJS.Dict<string | string[]>): Record<string, string | undefined> {
  const record: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name !== TOKEN_HEADER) record[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return record;
}

function addressedTo(host: string, raw: RawHeaders, dropped: ReadonlySet<string>): string[] {
  const headers: string[] = [];
  let named = false;
  for (const [name, value, lower] of pairs(raw)) {
    if (lower === "host") {
      headers.push(name, host);
      named = true;
    } else if (lower !== TOKEN_HEADER && !dropped.has(lower)) headers.push(name, value);
  }
  // A client of HTTP/1.0 names no host; the upstream is spoken to in HTTP/1.1, which demands it.
  return named ? headers : ["Host", host, ...headers];
}

function droppedNames(raw: RawHeaders): ReadonlySet<string> {
  let dropped: Set<string> | undefined;
  for (const [, value, lower] of pairs(raw)) {
    if (lower !== "connection") continue;
    for (const named of value.split(",")) {
      const name = named.trim().toLowerCase();
      if (hopByHop.has(name) || framing.has(name)) continue;
      dropped ??= new Set(hopByHop);
      dropped.add(name);
    }
  }
  return dropped ?? hopByHop;
}

function* pairs(raw: RawHeaders): Generator<[name: string, value: string, lower: string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]!;
    yield [name, raw[index + 1]!, name.toLowerCase()];
  }
}
