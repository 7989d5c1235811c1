/** Calls and tool messages of Chat Completions that do not answer each other. */
import type { WireRequest } from "../../wire/request.ts";
import { type ChatCall, type ChatResult, chatPairingOf } from "../pairing-chat.ts";
import type { Fault } from "../rule.ts";

export interface ChatCallFault extends Fault {
  readonly call: ChatCall;
}

export interface ChatResultFault extends Fault {
  readonly result: ChatResult;
}

export function openChatCalls(request: WireRequest): ChatCallFault[] {
  return chatPairingOf(request).openCalls.map((call) => ({
    path: call.call.path,
    message: `the call ${call.call.id} (${call.call.name}) has no tool message directly behind it`,
    call,
  }));
}

export function orphanToolRows(request: WireRequest): ChatResultFault[] {
  return chatPairingOf(request).orphans.map((result) => ({
    path: result.row.path,
    message: `the tool message for '${result.result.callId}' answers no call in front of it`,
    result,
  }));
}
