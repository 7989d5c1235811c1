/** SDKs with Holdfast's `fetch`, and models of the AI SDK with its middleware. */
import { type LanguageModel, wrapLanguageModel } from "ai";
import { wrapLanguageModel as wrapLanguageModel6 } from "ai-6";
import { createAnthropic as createAnthropic3 } from "ai-sdk-anthropic-3";
import { holdfast } from "../../../src/hosts/ai-sdk/middleware.ts";
import { type WrapFetchOptions, wrapFetch } from "../../../src/hosts/wrap-fetch.ts";
import type { InProcessClient, InProcessHost } from "../stage/in-process-suite.ts";
import type { Servers } from "../stage/stage.ts";
import { type AiSdkClient, aiSdk6, aiSdkModels, openAiSdk } from "./ai-sdk.ts";
import { openAnthropicSdk } from "./anthropic-sdk.ts";
import { openOpenaiChatSdk } from "./openai-chat-sdk.ts";
import { openOpenaiResponsesSdk } from "./openai-responses-sdk.ts";
import type { PayloadEdit } from "./payload-edit.ts";

const OTHER_MODEL = "claude-sonnet-5-5";

const sdks = {
  "anthropic-messages": openAnthropicSdk,
  "openai-completions": openOpenaiChatSdk,
  "openai-responses": openOpenaiResponsesSdk,
} as const;
type SdkApi = keyof typeof sdks;
const apis = Object.keys(sdks) as SdkApi[];

export const fetchHost: InProcessHost = {
  host: "fetch",
  apis,
  prepares: false,
  async open(servers, api, options) {
    const guarded = options === null ? fetch : wrapFetch(fetch, options);
    let edit: PayloadEdit | null = null;
    let other = false;
    const client = await sdks[api as SdkApi](servers, (input, init) => {
      const edited = edit === null ? init : withEdit(init, edit);
      return guarded(
        input,
        other ? withEdit(edited, (payload: object) => ({ ...payload, model: OTHER_MODEL })) : edited,
      );
    });
    return {
      ...client,
      editPayloads(next) {
        edit = next;
      },
      switchModel() {
        other = !other;
      },
    };
  },
};

export const aiSdk7Host: InProcessHost = {
  host: "AI SDK 7",
  apis,
  prepares: true,
  async open(servers, api, options) {
    const models = aiSdkModels(servers);
    const own = models[api as SdkApi];
    const foreign = models[api === "anthropic-messages" ? "openai-completions" : "anthropic-messages"];
    const wrap = (model: typeof own) =>
      options === null ? model : wrapLanguageModel({ model, middleware: holdfast(options) });
    const client = openAiSdk(wrap(own));
    return withModels(client, own, [wrap(own), wrap(foreign)]);
  },
};

export const aiSdk6Host: InProcessHost = {
  host: "AI SDK 6",
  apis: ["anthropic-messages"],
  prepares: true,
  async open(servers: Servers, _api, options: WrapFetchOptions | null) {
    const anthropic = createAnthropic3({ baseURL: `${servers.anthropicUrl}/v1`, apiKey: "key-of-the-user" });
    const wrap = (model: ReturnType<typeof anthropic>) =>
      (options === null
        ? model
        : wrapLanguageModel6({ model, middleware: holdfast(options) })) as unknown as LanguageModel;
    const own = anthropic("claude-opus-5-5");
    return withModels(openAiSdk(wrap(own), aiSdk6), own, [wrap(own), wrap(anthropic(OTHER_MODEL))]);
  },
};

function withModels(
  client: AiSdkClient,
  own: object,
  models: readonly [LanguageModel, LanguageModel],
): InProcessClient {
  let other = false;
  return {
    ...client,
    /** What a model sends with is Holdfast's by now; this stands in front of it. */
    editPayloads(edit) {
      const { config } = own as { config: { fetch: typeof fetch } };
      const send = config.fetch;
      config.fetch = (input, init) => send(input, withEdit(init, edit));
    },
    switchModel() {
      other = !other;
      client.use(models[other ? 1 : 0]);
    },
  };
}

function withEdit(init: RequestInit | undefined, edit: PayloadEdit): RequestInit {
  const payload = JSON.parse(String(init?.body)) as never;
  return { ...init, body: JSON.stringify(edit(payload)) };
}
