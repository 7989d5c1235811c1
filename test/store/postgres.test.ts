import { afterAll, beforeAll } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open-store.ts";
import { eventStoreSuite } from "./event-store-suite.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

eventStoreSuite("postgres", async () => openPostgresStore(await server.createDatabase(), { connectionsMax: 4 }));
