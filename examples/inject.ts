/**
 * An agent loop that puts a text of its own into its requests, and is told when a request has lost it.
 * Run as: node examples/inject.ts
 */
import { createEngine } from "../src/engine/create-engine.ts";
import { openStore } from "../src/store/open-store.ts";

const engine = await createEngine({ store: await openStore("memory:"), hashKey: Buffer.alloc(32, 1) });
const upstream = { name: "anthropic", url: "https://api.anthropic.com", backend: "anthropic" } as const;
const session = { upstream, headers: { "x-api-key": "KEY", "x-session-affinity": "letters" } };
const memory = { name: "memory", text: "What is known: Ada likes plums, and the jars stand in the cellar." };

async function turn(messages: readonly object[]): Promise<void> {
  const body = Buffer.from(JSON.stringify({ model: "claude-sonnet-5", max_tokens: 1000, messages }));
  const { record } = await engine.checkRequest({
    ...session,
    mode: "guard",
    method: "POST",
    path: "/v1/messages",
    body,
  });
  const rules = record.verdict.kind === "unsafe" ? record.verdict.hard.map(({ rule }) => rule) : [];
  console.log(record.outcome, ...rules, engine.inject(session, memory).kind);
}

const hello = { role: "user", content: "Hello" };
const blocks = engine.inject(session, memory).kind === "leave-out" ? [] : [{ role: "user", content: memory.text }];
await turn([hello, ...blocks]);
// A host that drops the block from its history: the conversation goes on without it from now on.
await turn([hello, { role: "assistant", content: "Hello Ada" }, { role: "user", content: "Where are the jars?" }]);
await engine.close();
