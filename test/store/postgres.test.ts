import { afterAll, beforeAll } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open-store.ts";
import { eventStoreSuite } from "./event-store-suite.ts";
import { emptyDatabase, type PostgresServer, startPostgres } from "./postgres-server.ts";
import { processesSuite } from "./processes-suite.ts";

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
});
afterAll(() => server?.stop());

eventStoreSuite("postgres", async () => {
  await emptyDatabase(url);
  return openPostgresStore(url, { connectionsMax: 4 });
});
processesSuite("postgres", () => server.createDatabase());
