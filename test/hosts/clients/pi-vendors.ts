/** Pi at the servers of one vendor each: what it needs to know to find them on the stage. */
import type { SimulatedBackend } from "../../../src/testing/index.ts";
import type { Api } from "../../../src/wire/api.ts";
import type { Stage } from "../stage/stage.ts";

export interface PiVendor {
  readonly api: Api;
  readonly backend: SimulatedBackend;
  /** `provider/model` */
  readonly model: string;
  /** Entries of Pi's models.json beside those of every test. */
  readonly providers: (stage: Stage) => Readonly<Record<string, object>>;
  readonly environment: (stage: Stage) => Readonly<Record<string, string>>;
  /** What Pi's encoder does to every result, by the name of the difference. */
  readonly always?: string;
  /** What is only said to be rejected there, and so has to be rejected once before it is repaired. */
  readonly learns?: "strayed result" | "dropped result";
}

const apiKey = "key-of-the-user";
const nothing = () => ({});

export const piVendors: readonly PiVendor[] = [
  {
    api: "google-generative-ai",
    backend: "google",
    model: "google/gemini-3.1-pro-preview",
    providers: ({ front }) => ({ google: { baseUrl: `${front.url}/google/v1beta`, apiKey } }),
    environment: nothing,
  },
  {
    // Pi leaves its address as it is in the catalogue (`https://{location}-…`), and the SDK makes another one of it.
    api: "google-vertex",
    backend: "vertex",
    model: "google-vertex/gemini-2.5-pro",
    providers: nothing,
    environment: ({ front }) => ({ GOOGLE_VERTEX_BASE_URL: `${front.url}/vertex`, GOOGLE_CLOUD_API_KEY: apiKey }),
  },
  {
    api: "bedrock-converse-stream",
    backend: "bedrock",
    // Beside the notice that parted the result stands the user's next word: two rows of one role.
    learns: "strayed result",
    model: "amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
    providers: ({ front }) => ({ "amazon-bedrock": { baseUrl: `${front.url}/bedrock` } }),
    environment: () => ({
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "id-of-the-user",
      AWS_SECRET_ACCESS_KEY: apiKey,
      AWS_BEDROCK_FORCE_HTTP1: "1",
    }),
  },
  {
    api: "mistral-conversations",
    backend: "mistral",
    always: "whitespace",
    // Nobody has shown what Mistral answers to a call without a result, so there is no repair either.
    learns: "dropped result",
    model: "mistral/mistral-large-latest",
    providers: ({ front }) => ({ mistral: { baseUrl: `${front.url}/mistral`, apiKey } }),
    environment: nothing,
  },
  {
    // Without an address of its own, too.
    api: "azure-openai-responses",
    backend: "azure",
    model: "azure/gpt-5.5",
    providers: nothing,
    environment: ({ front }) => ({
      AZURE_OPENAI_BASE_URL: `${front.url}/azure/openai/v1`,
      AZURE_OPENAI_API_KEY: apiKey,
    }),
  },
];
