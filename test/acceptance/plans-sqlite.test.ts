import { join } from "node:path";
import { temporaryFolder } from "../store/temporary-folder.ts";
import { plansSuite } from "./plans-suite.ts";

plansSuite("sqlite", async () => `sqlite:${join(temporaryFolder(), "plans.db")}`);
