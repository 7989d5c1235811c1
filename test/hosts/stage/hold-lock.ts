import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";

/** Keeps a database for itself, as a backup program may, until the function is called that is returned, or the test ends. */
export function holdLock(path: string): () => void {
  const database = new DatabaseSync(path);
  database.exec("BEGIN EXCLUSIVE");
  const release = () => {
    if (database.isOpen) database.close();
  };
  onTestFinished(release);
  return release;
}
