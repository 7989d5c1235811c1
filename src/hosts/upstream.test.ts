import { expect, onTestFinished, test } from "vitest";
import { upstreamOfModel } from "./upstream.ts";

const model = (api: string, baseUrl?: string) => ({
  id: "m",
  provider: "p",
  api,
  ...(baseUrl !== undefined && { baseUrl }),
});
const backendOf = (api: string, baseUrl?: string) => upstreamOfModel(model(api, baseUrl), [])?.backend;

test.each([
  ["anthropic-messages", "https://api.anthropic.com", "anthropic"],
  ["google-vertex", "https://europe-west1-aiplatform.googleapis.com", "vertex"],
  ["google-vertex", "https://aiplatform.eu.rep.googleapis.com", "vertex"],
  ["azure-openai-responses", "https://mine.cognitiveservices.azure.com/openai/v1", "azure"],
  ["bedrock-converse-stream", "https://bedrock-runtime.us-east-1.amazonaws.com", "bedrock"],
  ["openai-completions", "https://my-aiplatform.example.com", undefined],
  ["google-vertex", "http://127.0.0.1:1", undefined],
])("HO-13 %s at %s is answered by %s", (api, url, backend) => {
  expect(backendOf(api, url)).toBe(backend);
});

test.each([
  ["google-vertex", "https://{location}-aiplatform.googleapis.com", "vertex"],
  ["google-vertex", "", "vertex"],
  ["azure-openai-responses", "", "azure"],
  ["bedrock-converse-stream", undefined, "bedrock"],
])("HO-13 where the address of %s is made later (%j), its company is known", (api, url, backend) => {
  expect(backendOf(api, url)).toBe(backend);
});

test("HO-13 without an address nothing is known of an API that many speak", () => {
  expect(upstreamOfModel(model("openai-completions", ""), [])).toBeNull();
  expect(upstreamOfModel(undefined, [])).toBeNull();
});

test("HO-13 the environment's address of Azure stands before that of the model, as in Pi and OMP", () => {
  process.env.AZURE_OPENAI_BASE_URL = "https://proxy.example/openai/v1";
  onTestFinished(() => void delete process.env.AZURE_OPENAI_BASE_URL);
  expect(upstreamOfModel(model("azure-openai-responses", ""), [])).toMatchObject({ name: "proxy.example" });
  expect(backendOf("openai-responses", "https://api.openai.com/v1")).toBe("openai");
});
