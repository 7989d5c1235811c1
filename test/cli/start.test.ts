import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { runProgram, startProgram } from "./program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-start-"));
});
afterAll(() => rm(folder, { recursive: true }));

const running: { readonly child: { kill(signal: NodeJS.Signals): boolean } }[] = [];
afterEach(() => {
  for (const { child } of running.splice(0)) child.kill("SIGKILL");
});

/** Starts a gateway on a free port and waits until it says where. */
async function start(words: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const program = startProgram(
    ["start", "--json", "--port", "0", ...(words.includes("--store") ? [] : ["--store", "sqlite:start.db"]), ...words],
    {
      cwd: folder,
      env,
    },
  );
  running.push(program);
  while (!program.output().endsWith("}\n")) {
    const ended = await Promise.race([program.ended, once(program.child.stdout, "data").then(() => null)]);
    if (ended !== null) throw new Error(`it ended with ${ended.status}: ${ended.stderr}`);
  }
  return { ...program, record: JSON.parse(program.output()) };
}

/** An upstream that answers what it got, and one path that never ends. */
async function startUpstream() {
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    if (request.url === "/hang") response.write("{");
    else request.pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test("GW-1 start says where it listens and how each agent is connected, and passes requests on", async () => {
  const upstream = await startUpstream();
  const { record, child, ended } = await start(["--upstream", `lab=${upstream.url}`]);
  expect(record).toMatchObject({ schema: 1, host: "127.0.0.1", store: "sqlite:start.db" });
  expect(record.upstreams.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(["anthropic", "openai", "lab"]),
  );
  for (const agent of ["Claude Code", "Pi", "OMP", "OpenCode", "Anthropic SDK", "OpenAI SDK", "AI SDK"]) {
    expect(record.agents.find((one: { agent: string }) => one.agent === agent)?.paste, agent).toContain(record.url);
  }
  const body = '{"model": "m",  "messages":[]}';
  const answer = await fetch(`${record.url}/lab/v1/messages`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  expect(await answer.text()).toBe(body);
  expect((await fetch(`${record.url}/`)).headers.get("content-type")).toContain("text/html");
  child.kill("SIGTERM");
  expect((await ended).status).toBe(0);
  upstream.close();
});

test("GW-1 text output fits a terminal, but for lines that are pasted", async () => {
  const program = startProgram(["start", "--port", "0", "--store", "memory:"], { cwd: folder });
  running.push(program);
  while (!program.output().includes("AI SDK")) await once(program.child.stdout, "data");
  program.child.kill("SIGINT");
  const { stdout } = await program.ended;
  const prose = stdout.split("\n").filter((line) => !/[{"]|http|export/.test(line));
  for (const line of prose) expect(line.length, line).toBeLessThanOrEqual(80);
});

test("GW-1 a taken port is named with who holds it", async () => {
  const { record } = await start();
  const { status, stderr } = await runProgram(["start", "--port", String(record.port), "--store", "memory:"], {
    cwd: folder,
  });
  expect(status).toBe(2);
  expect(stderr).toContain(`${record.port}`);
  expect(stderr).toContain("another holdfast gateway");
});

test("GW-1 an address that others reach needs a token", async () => {
  const { status, stderr } = await runProgram(["start", "--port", "0", "--host", "0.0.0.0", "--store", "memory:"], {
    cwd: folder,
  });
  expect(status).toBe(2);
  expect(stderr).toContain("--token");
});

test("DG-74 a store that can't be used is said, and requests pass all the same", async () => {
  await writeFile(join(folder, "file"), "");
  const upstream = await startUpstream();
  const { record, child, ended } = await start([
    "--store",
    "sqlite:file/holdfast.db",
    "--upstream",
    `lab=${upstream.url}`,
  ]);
  expect(await (await fetch(`${record.url}/lab/echo`, { method: "POST", body: "hello" })).text()).toBe("hello");
  child.kill("SIGTERM");
  expect((await ended).stderr).toContain("Going on without a store");
  upstream.close();
});

test("CL-5 a store that is named wrongly ends the program", async () => {
  const { status, stderr } = await runProgram(["start", "--port", "0", "--store", "mysql:x"], { cwd: folder });
  expect(status).toBe(2);
  expect(stderr).toContain("--store");
});

test("CL-6 Ctrl-C ends it while an answer is on its way, and the store stays sound", async () => {
  const upstream = await startUpstream();
  const { record, child, ended } = await start(["--upstream", `lab=${upstream.url}`]);
  const answer = await fetch(`${record.url}/lab/hang`);
  expect(answer.status).toBe(200);
  child.kill("SIGINT");
  expect((await ended).status).toBe(0);
  await answer.text().catch(() => "cut");
  const doctor = await runProgram(["doctor", "--json", "--store", "sqlite:start.db"], { cwd: folder });
  expect(JSON.parse(doctor.stdout).checks).toContainEqual(
    expect.objectContaining({ id: "store_integrity", status: "ok" }),
  );
  upstream.close();
});

test("CL-6 SIGTERM lets an answer end", async () => {
  const upstream = await startUpstream();
  const { record, child, ended } = await start(["--upstream", `lab=${upstream.url}`]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from("first "));
      await promise;
      controller.enqueue(Buffer.from("last"));
      controller.close();
    },
  });
  const answer = await fetch(`${record.url}/lab/echo`, { method: "PUT", body, duplex: "half" } as RequestInit);
  child.kill("SIGTERM");
  resolve();
  expect(await answer.text()).toBe("first last");
  expect((await ended).status).toBe(0);
  upstream.close();
});
