/**
 * `holdfast/pi`: the extension that Pi loads from this package. It works on Pi's own rows before they are encoded, and on
 * the payload behind Pi's encoder, before Pi decides what of it to send: message threads and WebSocket deltas are cut
 * from what is returned here.
 */
import type { AgentApi } from "../agent-api.ts";
import { PayloadGate } from "../payload-gate.ts";
import { piArray } from "./rows.ts";

export default function holdfast(pi: AgentApi): void {
  const gate = new PayloadGate("pi");
  pi.on("agent_start", () => gate.beginRun());
  pi.on("agent_end", () => gate.endRun());
  pi.on("context", async ({ messages }, { model }) => {
    const repaired = await gate.prepare(model, piArray(messages));
    return repaired === null ? undefined : { messages: repaired };
  });
  pi.on("before_provider_request", ({ payload }, { model, sessionManager }) =>
    gate.check({ payload, model, sessionId: sessionManager.getSessionId() }),
  );
  pi.on("after_provider_response", ({ status, headers }) => gate.answered(status, headers));
  pi.on("message_end", ({ message }) => gate.ended(message));
  pi.on("session_shutdown", () => gate.flush());
  pi.registerCommand("holdfast", gate.command);
}
