import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { eventStoreSuite } from "./event-store-suite.ts";

eventStoreSuite("memory", async () => openMemoryStore());
