/** `holdfast/testing`: a provider on loopback that is as strict as the real ones. */
export { type AnthropicVerdict, validateAnthropic } from "./anthropic/validate.ts";
export type { CapturedRequest } from "./captured-request.ts";
export { type ChatVerdict, validateChat } from "./chat/validate.ts";
export type { MeterTurn, PrefixCacheMeter } from "./meter/prefix-cache-meter.ts";
export { createProviderContext, type ProviderContext } from "./provider-context.ts";
export type { SimulatedBackend, SimulatedProviderOptions } from "./provider-options.ts";
export type { ExtraRule, Rejection } from "./rejection.ts";
export { rememberExchange } from "./remember.ts";
export type { RememberedExchange } from "./remembered-exchange.ts";
export { type ResponsesVerdict, validateResponses } from "./responses/validate.ts";
export type { AnswerPart, ScriptedToolCall, ScriptedTurn } from "./script.ts";
export { type SimulatedProvider, startSimulatedProvider } from "./simulated-provider.ts";
export { type RequestVerdict, validateRequest } from "./validate-request.ts";
