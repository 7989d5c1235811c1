import { afterAll, beforeAll } from "vitest";
import { type PostgresServer, startPostgres } from "../store/postgres-server.ts";
import { plansSuite } from "./plans-suite.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

plansSuite("postgres", () => server.createDatabase());
