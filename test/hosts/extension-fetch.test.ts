import { fetchHost } from "./clients/in-process.ts";
import { describeInProcess } from "./stage/in-process-suite.ts";

describeInProcess(fetchHost);
