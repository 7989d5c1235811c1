/** Whose history a request goes on with: upstream and credential, and the session id of agents that send one. */
import { BoundedMap } from "../lib/bounded-map.ts";
import type { KeyedHash } from "../lib/keyed-hash.ts";
import type { Api } from "../wire/api.ts";
import type { ObservedRequest } from "./engine.ts";

export interface RequestOwner {
  /** Keyed hash of upstream and credential. */
  readonly namespace: string;
  /** Keyed hash of the agent's own session id; null where it sends none. */
  readonly session: string | null;
  /** Namespace and session: histories of two owners never meet. */
  readonly id: string;
  /** What the chains of this owner's rows begin with, so that equal histories of two owners have nothing in common. */
  chainSeed(api: Api): string;
}

/** Sessions whose hashes are at hand; those of the others are made again. */
const OWNERS_MAX = 256;

export class RequestOwners {
  /** By the words themselves, which are in memory only. */
  readonly #known = new BoundedMap<string, RequestOwner>(OWNERS_MAX);
  readonly #hash: KeyedHash;

  constructor(hash: KeyedHash) {
    this.#hash = hash;
  }

  of({ upstream, headers }: Pick<ObservedRequest, "upstream" | "headers">): RequestOwner {
    const sessionId = sessionIdOf(headers);
    const credential = `${upstream.name}\0${credentialOf(headers)}`;
    const words = `${credential}\0${sessionId ?? ""}`;
    const known = this.#known.get(words);
    if (known !== undefined) return known;
    const owner = this.#ownerOf(credential, sessionId);
    this.#known.set(words, owner);
    return owner;
  }

  #ownerOf(credential: string, sessionId: string | null): RequestOwner {
    const namespace = this.#hash("namespace", credential);
    const session = sessionId === null ? null : this.#hash("session", `${namespace}\0${sessionId}`);
    const id = session ?? namespace;
    const seeds = new Map<Api, string>();
    const chainSeed = (api: Api) => {
      const seed = seeds.get(api) ?? this.#hash("chain", `${id}\0${api}`);
      seeds.set(api, seed);
      return seed;
    };
    return { namespace, session, id, chainSeed };
  }
}

type Headers = ObservedRequest["headers"];

function credentialOf(headers: Headers): string {
  return headers.authorization ?? headers["x-api-key"] ?? headers["api-key"] ?? headers["x-goog-api-key"] ?? "";
}

/** Headers in which known agents name their session. A cache key in the body is none: sub-agents share it. */
const SESSION_HEADERS = [
  "x-claude-code-session-id",
  "x-session-affinity",
  "session-id",
  "session_id",
  "x-opencode-session",
];

function sessionIdOf(headers: Headers): string | null {
  for (const name of SESSION_HEADERS) if (headers[name]) return headers[name];
  return null;
}
