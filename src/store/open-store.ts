/** From the text behind `--store` to an open store. Adapters load on demand: a command that needs none pays for none. */
import { HoldfastError } from "../lib/error.ts";
import type { EventStore } from "./event-store.ts";
import type { StoreOptions } from "./store-options.ts";
import { withoutPassword } from "./store-url.ts";

export { withoutPassword };

/**
 * `memory:`, `sqlite:PATH`, or a `postgres://` URL.
 * @throws HoldfastError `store_url_invalid`, or why the store cannot be opened
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<EventStore> {
  if (url === "memory:") return (await import("./memory/open-store.ts")).openMemoryStore();
  if (/^sqlite:./.test(url)) {
    return (await import("./sqlite/open-store.ts")).openSqliteStore(url.slice("sqlite:".length), options);
  }
  if (/^postgres(ql)?:\/\/./.test(url)) return (await import("./postgres/open-store.ts")).openPostgresStore(url);
  throw new HoldfastError(
    "store_url_invalid",
    `The store ${JSON.stringify(withoutPassword(url))} is not known: use sqlite:PATH, postgres://USER@HOST/DATABASE or memory:.`,
  );
}
