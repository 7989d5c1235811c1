/**
 * What the provider holds behind `previous_response_id`. OMP sends such a lane its newest items only, but the first
 * request of a process in full, and each answer comes with the items that the provider keeps: so the whole is known.
 */
import { isObject, type JsonObject } from "../../wire/request.ts";
import type { AgentMessage } from "../agent-api.ts";

type Items = readonly unknown[];

export class ResponseChain {
  /** What was sent and not yet answered, as the provider reads it. */
  #asked: Items | null = null;
  /** The newest answer, and everything up to its end. OMP goes on from no other. */
  #last: { readonly id: string; readonly items: Items } | null = null;

  /** @returns the payload as a full replay: itself where it is one, or null where its anchor is not known */
  wholeOf(payload: JsonObject): JsonObject | null {
    const { previous_response_id: anchor, ...rest } = payload;
    if (anchor === undefined) return payload;
    if (!Array.isArray(payload.input) || this.#last?.id !== anchor) return null;
    return { ...rest, input: [...this.#last.items, ...payload.input] };
  }

  /** @param whole what the provider will read, or null where nobody knows it */
  sent(whole: JsonObject | null): void {
    // Two at once cannot be told apart by their answers.
    const items = Array.isArray(whole?.input) && this.#asked === null ? whole.input : null;
    this.#asked = items;
    if (items === null) this.#last = null;
  }

  answered({ responseId, providerPayload }: AgentMessage): void {
    const items = isObject(providerPayload) && Array.isArray(providerPayload.items) ? providerPayload.items : null;
    const known = this.#asked !== null && items !== null && typeof responseId === "string";
    this.#last = known ? { id: responseId, items: [...this.#asked!, ...items] } : null;
    this.#asked = null;
  }
}
