/** An open database and the statements prepared on it. */
import type { StatementSync } from "node:sqlite";
import type { DatabaseSync } from "./database.ts";

export interface Connection {
  readonly path: string;
  readonly db: DatabaseSync;
  readonly inode: bigint | undefined;
  readonly statements: Map<string, StatementSync>;
}

/** A statement, prepared once per connection. */
export function prepare(connection: Connection, sql: string): StatementSync {
  let statement = connection.statements.get(sql);
  if (statement === undefined) {
    statement = connection.db.prepare(sql);
    connection.statements.set(sql, statement);
  }
  return statement;
}
