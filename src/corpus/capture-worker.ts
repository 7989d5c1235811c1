/** The thread that redacts and writes captured bodies: both cost more than a turn may wait. */
import { existsSync, mkdirSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { isHoldfastError } from "../lib/error.ts";
import type { CaptureAnswer, CaptureOrder } from "./body-capture.ts";
import { toFixture } from "./capture-fixture.ts";
import { CorpusFolder } from "./corpus-folder.ts";

/** A folder that nobody empties must not fill the disk: with bodies of at most 8 MiB it stays below 4 GiB, and is mostly far smaller. */
const FIXTURES_MAX = 500;

const port = parentPort!;
const folder = new CorpusFolder((workerData as { folder: string }).folder);

port.on("message", (order: CaptureOrder) => {
  const answer: CaptureAnswer = { id: order.id, result: keep(order) };
  port.postMessage(answer);
});

function keep({ body }: CaptureOrder): string {
  try {
    mkdirSync(folder.root, { recursive: true });
    const captured = toFixture(body);
    if (captured.kind === "none") return captured.reason;
    if (existsSync(folder.fileOf(captured.id))) return "known";
    if (folder.listIds().length >= FIXTURES_MAX) return "folder_full";
    folder.writeFixture(captured.id, captured.fixture, captured.bytes);
    if (captured.prepared !== null) folder.writePrepared(captured.id, captured.prepared);
    return "written";
  } catch (error) {
    // Expected: a full disk, a folder that may not be written. The turn went on long ago; the counter says why.
    return isHoldfastError(error) ? error.code : ((error as NodeJS.ErrnoException).code ?? "failed");
  }
}
