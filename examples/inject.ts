/**
 * Notes that an agent puts into its requests: the engine says whether to put them in, and sees when they are lost.
 * Run as: node examples/inject.ts. The provider is the simulated one, so no key is needed. The third turn forgets the notes.
 */
import { randomBytes } from "node:crypto";
import { wrapFetch } from "../src/hosts/wrap-fetch.ts";
import { createEngine, openStore } from "../src/index.ts";
import { startSimulatedProvider } from "../src/testing/index.ts";

const provider = await startSimulatedProvider();
const engine = await createEngine({ store: await openStore("memory:"), hashKey: randomBytes(32) });
const upstream = { name: "anthropic", url: provider.url, backend: "anthropic" } as const;
const send = wrapFetch(fetch, { engine, upstreams: [upstream] });
const headers = { "x-api-key": "none", "x-session-affinity": "letters", "anthropic-version": "2023-06-01" };

const notes = "Notes about Ada:\n- she likes short answers\n- she reads mail in the morning";
async function turn(history: readonly { role: string; content: string }[], forgets = false): Promise<string> {
  const { kind } = engine.inject({ upstream, headers }, { name: "notes", text: notes });
  const [first, ...rest] = history;
  const content = kind === "carry" && !forgets ? `${first!.content}\n\n${notes}` : first!.content;
  const body = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content }, ...rest] };
  await send(`${provider.url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
  const lost = engine.counters().filter(({ name }) => name === "own_block");
  return `${kind}, lost ${lost.reduce((sum, { count }) => sum + count, 0)}`;
}

const history = [{ role: "user", content: "Hello" }];
console.log(await turn(history));
history.push({ role: "assistant", content: "Hello, Ada." }, { role: "user", content: "Is there mail?" });
console.log(await turn(history));
history.push({ role: "assistant", content: "One." }, { role: "user", content: "From whom?" });
console.log(await turn(history, true));
history.push({ role: "assistant", content: "From Grace." }, { role: "user", content: "Thanks." });
console.log(await turn(history));
await engine.close();
await provider.close();
