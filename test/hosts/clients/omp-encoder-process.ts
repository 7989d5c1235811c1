/** Runs on Bun. Reads encodings from stdin, and writes what OMP's encoders make of them into the file that is named. Nothing is sent. */
import { writeFileSync } from "node:fs";
import { json } from "node:stream/consumers";
import { zstdDecompressSync } from "node:zlib";
import { type Encoded, type Encoding, keyFor, SERVERS, stop, streamOf, TOOLS } from "./encoding.ts";

const { stream } = await import("@oh-my-pi/pi-ai/stream");
const { buildModel } = await import("@oh-my-pi/pi-catalog/build");
const { convertToLlm } = await import("@oh-my-pi/pi-coding-agent/session/messages");

/** Other kinds of rows than those that we know are OMP's own matter. */
type OmpMessages = Parameters<typeof convertToLlm>[0];

const ZSTD_MAGIC = 0xfd2fb528;

const encoded: Encoded[] = [];
for (const encoding of (await json(process.stdin)) as Encoding[]) encoded.push(await encode(encoding));
writeFileSync(process.argv[2]!, JSON.stringify(encoded));
process.exit(0);

async function encode({ api, provider, model: id, sees, reasons, messages, continued }: Encoding): Promise<Encoded> {
  const model = buildModel({
    id,
    name: id,
    api,
    provider,
    baseUrl: SERVERS[api]!,
    reasoning: reasons,
    input: sees ? ["text", "image"] : ["text"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 200_000,
    maxTokens: 4096,
  });
  const bodies: string[] = [];
  const chained = continued.length > 0;
  const state = new Map();
  const run = async (rows: readonly unknown[]) => {
    const context = { systemPrompt: ["Be brief."], messages: convertToLlm([...rows] as OmpMessages), tools: TOOLS };
    const events = stream(model, context, {
      apiKey: keyFor(api),
      sessionId: "session",
      providerSessionState: state,
      statefulResponses: chained,
      fetch: async (_url, init) => {
        bodies.push(textOf(Buffer.from(init!.body as string)));
        return chained && bodies.length === 1 ? streamOf(api) : stop();
      },
    });
    let reply: unknown;
    for await (const event of events) if (event.type === "done") reply = event.message;
    return reply;
  };
  let rows: readonly unknown[] = messages;
  const reply = await run(rows);
  if (chained) {
    rows = [...messages, reply, ...continued];
    await run(rows);
  }
  const { client_metadata: _, ...body } = JSON.parse(bodies.at(chained ? 1 : 0)!);
  return { messages: rows as Encoded["messages"], body };
}

/** To the back end of Codex OMP sends what zstd has packed. */
function textOf(body: Buffer): string {
  return (body.readUInt32LE(0) === ZSTD_MAGIC ? zstdDecompressSync(body) : body).toString();
}
