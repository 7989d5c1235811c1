/** What the package shows of the gateway: start one in a program of your own. */
export { type ApiBaseUrl, apiBaseUrls, type ConnectLine, connectLines } from "./connect-lines.ts";
export { createLog, type Log, type LogOptions } from "./log.ts";
export type { Modes } from "./modes.ts";
export type { StatusPage } from "./own-api.ts";
export { builtinUpstreams } from "./routes.ts";
export { DEFAULT_PORT, type GatewayOptions, type RunningGateway, startGateway } from "./serve.ts";
