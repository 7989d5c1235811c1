/** A program of its own: a conversation that breaks, on the store that the environment names. Words: the host, the server. */
import { openProcessEngine } from "../../../src/hosts/process-engine.ts";
import { aiSdk6Host, aiSdk7Host, fetchHost } from "./in-process.ts";

/** Nobody waits for this program, so it may wait for its store on a machine that is busy. */
const STORE_WAIT_MS = 30_000;

const [host, anthropicUrl] = process.argv.slice(2) as [string, string];
const { open } = [fetchHost, aiSdk7Host, aiSdk6Host].find((one) => one.host === host)!;
const { engine, settings } = await openProcessEngine(process.env, STORE_WAIT_MS);
const servers = { anthropicUrl, openaiUrl: anthropicUrl };
const client = await open(servers, "anthropic-messages", { engine, upstreams: settings.upstreams });
await client.say("Look twice [[two]]");
await client.breakHistory();
for (const text of ["Go on", "And on"]) await client.say(text);
await engine.close();
