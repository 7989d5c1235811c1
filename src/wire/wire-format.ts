/** What every wire protocol offers; one folder per api, the same file names inside, one conformance suite. */
import type { Api } from "./api.ts";
import type { JsonObject, Row, WireRequest } from "./request.ts";
import type { WireResponse } from "./response.ts";

export interface WireFormat {
  readonly api: Api;
  /**
   * Total: whatever it does not know becomes an opaque block.
   * @param known rows of an earlier body, which are taken over where their values are the same objects
   */
  readRequest(body: JsonObject, known?: readonly Row[]): WireRequest;
  /** Whether a body without a hint speaks this api. */
  recognises(body: JsonObject): boolean;
  /** Total: members that are missing or strange are absent from what it returns. */
  readResponse(response: ResponseBody): WireResponse;
}

export interface ResponseBody {
  readonly status: number;
  /** Media type in lower case without parameters. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}
