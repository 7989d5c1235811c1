/**
 * The SQLite of the runtime: `node:sqlite`, and `bun:sqlite` in its shape where a Bun has no other. OpenCode 1 is built
 * with Bun 1.3, which has not.
 */
import type { DatabaseSync as NodeDatabase, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";

export type DatabaseSync = Pick<NodeDatabase, "exec" | "prepare" | "close" | "isTransaction">;

export const DatabaseSync: new (path: string) => DatabaseSync = await loadDatabase();

async function loadDatabase(): Promise<new (path: string) => DatabaseSync> {
  try {
    return (await import("node:sqlite")).DatabaseSync;
  } catch (cause) {
    if (process.versions.bun === undefined) throw cause;
    return await loadBunDatabase();
  }
}

/** The part of `bun:sqlite` that is needed; its types would come with all those of Bun. */
interface BunDatabase {
  readonly inTransaction: boolean;
  run(sql: string): void;
  prepare(sql: string): BunStatement;
  close(): void;
}

interface BunStatement {
  run(...values: SQLInputValue[]): { lastInsertRowid: number | bigint; changes: number };
  get(...values: SQLInputValue[]): Record<string, SQLOutputValue> | null;
  all(...values: SQLInputValue[]): Record<string, SQLOutputValue>[];
}

async function loadBunDatabase(): Promise<new (path: string) => DatabaseSync> {
  const name = "bun:sqlite";
  const { Database } = (await import(name)) as { Database: new (path: string) => BunDatabase };
  return class implements DatabaseSync {
    readonly #db: BunDatabase;

    constructor(path: string) {
      this.#db = withResultCode(() => new Database(path));
    }

    get isTransaction(): boolean {
      return this.#db.inTransaction;
    }

    exec(sql: string): void {
      withResultCode(() => this.#db.run(sql));
    }

    prepare(sql: string): StatementSync {
      const statement = withResultCode(() => this.#db.prepare(sql));
      return {
        run: (...values: SQLInputValue[]) => withResultCode(() => statement.run(...values)),
        get: (...values: SQLInputValue[]) => withResultCode(() => statement.get(...values) ?? undefined),
        all: (...values: SQLInputValue[]) => withResultCode(() => statement.all(...values)),
      } as StatementSync;
    }

    close(): void {
      this.#db.close();
    }
  };
}

/** Node calls SQLite's result code `errcode`, Bun `errno`. */
function withResultCode<Value>(call: () => Value): Value {
  try {
    return call();
  } catch (cause) {
    throw cause instanceof Error && "errno" in cause ? Object.assign(cause, { errcode: cause.errno }) : cause;
  }
}
