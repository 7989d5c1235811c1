/**
 * `holdfast/omp`: the extension that OMP loads from this package. It never listens to `context`: OMP then takes every row
 * of the process for one of this call only, and sets no cache breakpoint behind the first.
 */
import { isObject, type JsonObject } from "../../wire/request.ts";
import { volatileNamesIn } from "../../wire/volatile-block.ts";
import type { AgentApi, AgentContext } from "../agent-api.ts";
import { PayloadGate } from "../payload-gate.ts";
import { ResponseChain } from "./response-chain.ts";

export default function holdfast(pi: AgentApi): void {
  const gate = new PayloadGate("omp");
  const chain = new ResponseChain();
  let running = false;

  pi.on("agent_start", () => {
    running = true;
  });
  pi.on("agent_end", () => {
    running = false;
  });
  pi.on("before_provider_request", async ({ payload }, context) => {
    if (!isObject(payload)) return undefined;
    // A question at the side (`/btw`), a handoff: OMP gives it a session of its own at the provider, too.
    if (!running) return await check(gate, payload, context, ":side");
    const whole = isChainable(context) ? chain.wholeOf(payload) : null;
    const repaired = await check(gate, whole ?? payload, context);
    chain.sent(isObject(repaired) ? repaired : whole);
    return repaired;
  });
  pi.on("after_provider_response", ({ status, headers }) => gate.answered(status, headers));
  pi.on("message_end", ({ message }) => {
    if (message.role === "assistant") chain.answered(message);
    return gate.ended(message);
  });
  pi.on("session_shutdown", () => gate.flush());
  pi.registerCommand("holdfast", gate.command);
}

/** On Codex the base of the next delta is not what is sent, so a full replay would not be what OMP goes on from. */
function isChainable({ model }: AgentContext): boolean {
  return model?.api === "openai-responses";
}

async function check(gate: PayloadGate, payload: JsonObject, context: AgentContext, lane = ""): Promise<unknown> {
  const { model, sessionManager } = context;
  return await gate.check({
    payload,
    model,
    sessionId: `${sessionManager.getSessionId()}${lane}`,
    observeOnly: payload.previous_response_id !== undefined,
    // A body with a billing line stands for a login, and carries a digest that OMP computes when it is sent.
    unproven: volatileNamesIn(payload).length > 0,
  });
}
