/** What a caller says of a text that it puts into the requests of a session, and what the engine answers. */
import type { ObservedRequest } from "./engine.ts";

/**
 * Whose requests: an upstream, and the headers that all of them carry, above all the credential and the session's id.
 * Without an id a block belongs to everything that is sent with this credential.
 */
export type InjectionSession = Pick<ObservedRequest, "upstream" | "headers">;

export interface InjectedBlock {
  /** Of the block in its session. Another text under the same name takes the place of the one before. */
  readonly name: string;
  /** As it is put into the request, without the host's frame around it: at least 32 characters. */
  readonly text: string;
}

export type Injection =
  /** Put it into the session's requests from now on; the engine watches that it stays. */
  | { readonly kind: "carry" }
  /** Leave it out: the conversation has lost it once and goes on without, so that its prefix does not alternate. */
  | { readonly kind: "leave-out"; readonly since: number }
  /** It is not watched, so put it in or not: too short to be found for certain, or one block too many. */
  | { readonly kind: "unwatched"; readonly reason: "too_short" | "too_many" };
