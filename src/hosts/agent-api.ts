/** What Pi and OMP have in common of their extension API, as far as we use it. Both load `(pi) => void`. */

export interface AgentModel {
  readonly id: string;
  readonly api: string;
  readonly provider: string;
  readonly baseUrl?: string;
}

export interface AgentContext {
  readonly model?: AgentModel | undefined;
  readonly hasUI: boolean;
  readonly ui: { notify(message: string, type?: "info" | "warning" | "error"): void };
  readonly sessionManager: { getSessionId(): string };
}

export interface AgentMessage {
  readonly role: string;
  readonly [member: string]: unknown;
  /** `error` where the provider, or the way to it, failed. */
  readonly stopReason?: string;
  readonly errorMessage?: string;
}

interface AgentEvents {
  /** A run begins and ends: what a person or an extension asked for, with every tool step of it. */
  agent_start: object;
  agent_end: object;
  /** Before each request of the agent itself: its own rows, copied for this call. */
  context: { readonly messages: readonly AgentMessage[] };
  before_provider_request: { readonly payload: unknown };
  after_provider_response: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
  message_end: { readonly message: AgentMessage };
  session_shutdown: object;
}

export interface AgentCommand {
  readonly description: string;
  readonly handler: (words: string, context: AgentContext) => Promise<void>;
}

export interface AgentApi {
  /**
   * Whatever `before_provider_request` returns, except undefined, is sent instead of the payload; `context` answers with
   * `{ messages }` to have others encoded.
   */
  on<Name extends keyof AgentEvents>(
    name: Name,
    listener: (event: AgentEvents[Name], context: AgentContext) => unknown,
  ): void;
  registerCommand(name: string, command: AgentCommand): void;
}
