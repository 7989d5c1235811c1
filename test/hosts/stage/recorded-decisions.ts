import type { Engine, RequestRecord } from "../../../src/engine/engine.ts";
import { TAG_HEADER } from "./tap.ts";

/** The same engine; what it decides last about a request is written down under the request's tag. */
export function recordDecisions(engine: Engine, decisions: Map<string, RequestRecord>): Engine {
  const tags = new WeakMap<object, string>();
  return {
    ...engine,
    async checkRequest(observed) {
      const checked = await engine.checkRequest(observed);
      const tag = observed.headers[TAG_HEADER] ?? "";
      tags.set(checked, tag);
      decisions.set(tag, checked.record);
      return checked;
    },
    async retryAfterRejection(checked, response) {
      const retried = await engine.retryAfterRejection(checked, response);
      if (retried !== null) decisions.set(tags.get(checked) ?? "", retried.record);
      return retried;
    },
  };
}
