/** OpenCode as a server: many turns in one process, in a tenth of the time of a process for each. */
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type AgentCommand, startAgent } from "../stage/agent-process.ts";

export interface OpencodeSession {
  readonly id: string;
  /** A turn of the user with every tool step that it leads to. @returns the last text of the model */
  say(model: string, text: string): Promise<string>;
}

export interface OpencodeServer {
  openSession(options: { readonly title?: string }): Promise<OpencodeSession>;
  close(): Promise<void>;
}

/** Above the seconds that it needs to start. */
const LOOKS_MAX = 300;
const LOOK_EVERY_MS = 200;

/** A request that comes while the server begins to listen is never answered. */
const LOOK_MS_MAX = 2_000;

const DISPOSE_MS = 2_000;

/** Ends with the test, unless it is closed before. */
export async function startOpencodeServer(
  command: (words: readonly string[]) => AgentCommand,
): Promise<OpencodeServer> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = startAgent(command(["serve", "--hostname", "127.0.0.1", "--port", String(port)]));
  await waitFor(url);
  return {
    async openSession(options) {
      const { id } = (await post(`${url}/session`, options)) as { id: string };
      return { id, say: (model, text) => say(`${url}/session/${id}/message`, model, text) };
    },
    async close() {
      // A signal alone ends it without a word to its plugins, and it answers before they have heard this one.
      await post(`${url}/instance/dispose`, {});
      await wait(DISPOSE_MS);
      server.signal("SIGTERM");
      await server.ended;
    },
  };
}

/** OpenCode takes 4096 where it is asked for any. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function waitFor(url: string): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    // Its root is a page that it fetches from elsewhere.
    const answer = await fetch(`${url}/session`, { signal: AbortSignal.timeout(LOOK_MS_MAX) }).catch(() => null);
    if (answer !== null) return;
    await wait(LOOK_EVERY_MS);
  }
  throw new Error("OpenCode's server did not start.");
}

async function say(url: string, model: string, text: string): Promise<string> {
  const [providerID, modelID] = model.split("/");
  const parts = [{ type: "text", text }];
  const answer = (await post(url, { model: { providerID, modelID }, parts })) as { parts: { text?: string }[] };
  return answer.parts.map((part) => part.text ?? "").join("");
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`OpenCode answers ${answer.status}: ${await answer.text()}`);
  return await answer.json();
}
