/** A program of its own: a conversation that breaks, on the store that the environment names. Words: the host, the server. */
import { processEngine } from "../../../src/hosts/process-engine.ts";
import { aiSdk6Host, aiSdk7Host, fetchHost } from "./in-process.ts";

const [host, anthropicUrl] = process.argv.slice(2) as [string, string];
const { open } = [fetchHost, aiSdk7Host, aiSdk6Host].find((one) => one.host === host)!;
const client = await open({ anthropicUrl, openaiUrl: anthropicUrl }, "anthropic-messages", {});
await client.say("Look twice [[two]]");
await client.breakHistory();
for (const text of ["Go on", "And on"]) await client.say(text);
await (await processEngine()).engine.flush();
