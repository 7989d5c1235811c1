/**
 * `holdfast/omp`: the extension that OMP loads from this package. It never listens to `context`: OMP then takes every row
 * of the process for one of this call only, and sets no cache breakpoint behind the first.
 */
import type { AgentApi } from "../agent-api.ts";
import { PayloadGate } from "../payload-gate.ts";

export default function holdfast(pi: AgentApi): void {
  const gate = new PayloadGate("omp");
  pi.on("before_provider_request", ({ payload }, { model, sessionManager }) =>
    gate.check({ payload, model, sessionId: sessionManager.getSessionId(), observeOnly: isFixed(payload) }),
  );
  pi.on("after_provider_response", ({ status, headers }) => gate.answered(status, headers));
  pi.on("message_end", ({ message }) => gate.ended(message));
  pi.on("session_shutdown", () => gate.flush());
  pi.registerCommand("holdfast", gate.command);
}

/**
 * A delta names a history that we do not have, and OMP has already noted what it sends as the base of the next one; its
 * full replays are repaired. A body with the billing row carries a digest of itself.
 */
function isFixed(payload: unknown): boolean {
  const { previous_response_id: anchor, system } = payload as { previous_response_id?: unknown; system?: unknown };
  return anchor !== undefined || (Array.isArray(system) && isBillingRow(system[0]));
}

function isBillingRow(block: unknown): boolean {
  const text = (block as { text?: unknown } | undefined)?.text;
  return typeof text === "string" && text.startsWith("x-anthropic-billing-header:");
}
