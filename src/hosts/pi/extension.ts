/**
 * `holdfast/pi`: the extension that Pi loads from this package. It works on the payload, behind Pi's encoder and before
 * Pi decides what of it to send: message threads and WebSocket deltas are cut from what is returned here.
 */
import type { AgentApi } from "../agent-api.ts";
import { PayloadGate } from "../payload-gate.ts";

export default function holdfast(pi: AgentApi): void {
  const gate = new PayloadGate("pi");
  pi.on("before_provider_request", ({ payload }, { model, sessionManager }) =>
    gate.check({ payload, model, sessionId: sessionManager.getSessionId() }),
  );
  pi.on("after_provider_response", ({ status, headers }) => gate.answered(status, headers));
  pi.on("message_end", ({ message }) => gate.ended(message));
  pi.on("session_shutdown", () => gate.flush());
  pi.registerCommand("holdfast", gate.command);
}
