/** Worker processes as a test holds them: each order is answered, or the worker has died. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface Order {
  readonly principal: string;
  readonly session: string;
  readonly run: string;
  readonly scopes: readonly string[];
  readonly instructions: string;
  readonly memoryText?: string;
  /** Whether the agent has learned a tool since. */
  readonly newTool?: boolean;
  /** The worker's clock, if not that of the machine. */
  readonly now?: number;
}

export interface Answer {
  readonly change: string;
  readonly epoch: number;
  readonly prefixSha256: string;
}

export class PlanWorker {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #output: Interface;
  errors = "";

  private constructor(url: string) {
    const script = fileURLToPath(new URL("./plan-process.ts", import.meta.url));
    this.#child = spawn(process.execPath, [script, url], { stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stderr!.setEncoding("utf8").on("data", (chunk: string) => {
      this.errors += chunk;
    });
    // A killed worker closes its pipe while an order is on its way.
    this.#child.stdin!.on("error", () => {});
    this.#output = createInterface(this.#child.stdout!);
    this.#lines = this.#output[Symbol.asyncIterator]();
  }

  static async start(url: string): Promise<PlanWorker> {
    const worker = new PlanWorker(url);
    onTestFinished(() => worker.kill());
    await worker.#lines.next();
    return worker;
  }

  /** Null where the worker died before it answered. */
  async do(order: Order): Promise<Answer | null> {
    this.#child.stdin!.write(`${JSON.stringify(order)}\n`);
    const { value, done } = await this.#lines.next();
    return done ? null : (JSON.parse(value) as Answer);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "close");
  }
}
