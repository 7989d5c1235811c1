/**
 * A process that appends pairs of events to one stream until it has written its share, and prints the version after each
 * acknowledged pair. Run as: node appending-process.ts URL NAME PAIRS
 */
import { openStore } from "../../src/store/open-store.ts";
import { ada, event, sharedStream } from "./sample-events.ts";

const [url = "", name = "", pairs = "0"] = process.argv.slice(2);
const store = await openStore(url);
let version = 0;
for (let n = 0; n < Number(pairs); ) {
  const pair = [event({ v: 1, name, n, part: 1 }), event({ v: 1, name, n, part: 2 })];
  const result = await store.append(ada, sharedStream, version, pair);
  version = result.version;
  if (result.kind === "conflict") continue;
  process.stdout.write(`${version}\n`);
  n += 1;
}
await store.addCounts([{ name: "pairs", labels: {}, count: Number(pairs) }]);
await store.close();
