/**
 * How long until a command answers, against a Node program that prints a line? The built program (`npm run build`), as a
 * person starts it. Run: `node bench/start-up.ts [--json]`.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { once, race, type Side } from "./race.ts";
import { detailOf, report } from "./report.ts";
import { makeSession } from "./session.ts";

const ROUNDS = 21;

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
if (!existsSync(main)) throw new Error("there is no built program: run `npm run build` first");

const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
try {
  const session = makeSession({ messagesMax: 13, resultBytes: 2_000 });
  const [hello, body, next, plan] = ["hello.cjs", "body.json", "next.json", "plan.json"].map((name) =>
    join(folder, name),
  );
  writeFileSync(hello!, 'console.log("hello");\n');
  writeFileSync(body!, session.body(11));
  writeFileSync(next!, session.body(13));
  writeFileSync(plan!, JSON.stringify({ conversation: [], tools: [] }));
  const raced = await race(
    {
      hello: command([hello!]),
      version: command([main, "--version"]),
      check: command([main, "check", body!]),
      diff: command([main, "diff", body!, next!]),
      hash: command([main, "hash", plan!]),
      doctor: command([main, "doctor", "--json"], [0, 1]),
      start: ready,
    },
    { rounds: ROUNDS, warmUps: 3 },
  );
  const goals = { check: 1.25, diff: 1.25, hash: 1.25, doctor: 1.35, start: 3 };
  report("start-up", [
    ...Object.entries(goals).map(([name, max]) => ({
      id: "BM-K1",
      name: name === "start" ? "start until it listens / hello.cjs" : `${name} / hello.cjs`,
      value: raced.ratio(name as keyof typeof goals, "hello"),
      max,
      detail: detailOf(raced, name as keyof typeof goals, "hello"),
    })),
    { id: "-", name: "--version / hello.cjs", value: raced.ratio("version", "hello") },
  ]);
} finally {
  rmSync(folder, { recursive: true });
}

function command(args: readonly string[], codes: readonly number[] = [0]): Side {
  return once(() => {
    const { status, stderr } = spawnSync(process.execPath, args, { env: environment() });
    if (!codes.includes(status ?? -1)) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  });
}

/** With a store in a file, until the line that names the address. */
async function ready(): Promise<number> {
  const child = spawn(process.execPath, [main, "start", "--port", "0"], { env: environment() });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (/http:\/\/127\.0\.0\.1:\d+/.test(said)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`start ended with ${code}`)));
  });
  child.kill();
  return 1;
}

/** Nothing of the person who runs the benchmark: neither settings nor store. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: folder };
}
