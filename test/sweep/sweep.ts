/** The sweep of PI-40: one real process per runtime, locale and time zone, and everything else inside it. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Mistakes that the sweep must notice. */
export type Fault = "none" | "locale_order" | "unsorted_set" | "stringify_sorted";

export interface SweepAnswer {
  readonly identities: readonly string[];
  /** What a run on the shared session did to its plan; null without a store. */
  readonly change: string | null;
}

/** Prefix and tools as make.py takes them of house-prefix.json, and the rows that the provider sees. */
export const EXPECTED =
  "4e28f2ff7887dbffd3dc1ebc27ec882249f85dfe876ab7d28a93c9442f49603c " +
  "0d0bc7a3b956a73c08fc0e34243d148189ae228f42838552d594e0fe9b2e74b7 " +
  "81027209ab19868063883991fc1067d21a888d5d049f1eb2c4cac3d70f066e76";

export const LOCALES = [
  "C",
  "en_US.UTF-8",
  "cs_CZ.UTF-8",
  "da_DK.UTF-8",
  "et_EE.UTF-8",
  "lt_LT.UTF-8",
  "tr_TR.UTF-8",
] as const;
export const ZONES = ["UTC", "Pacific/Auckland", "America/Los_Angeles", "Asia/Kathmandu"] as const;

export interface Place {
  /** Path of a Node or Bun executable. */
  readonly runtime: string;
  readonly locale: string;
  readonly zone: string;
}

export interface SweepOptions {
  /** Random disorders in each process. */
  readonly rounds: number;
  readonly fault?: Fault;
  /** A session that all processes answer in turn. */
  readonly storeUrl?: string;
}

/** @returns the distinct identities over all places, and what each place did to the session's plan */
export async function sweep(
  places: readonly Place[],
  options: SweepOptions,
): Promise<{ identities: string[]; changes: (string | null)[] }> {
  const identities = new Set<string>();
  const changes: (string | null)[] = [];
  for (const place of places) {
    const answer = await sweepPlace(place, options);
    for (const identity of answer.identities) identities.add(identity);
    changes.push(answer.change);
  }
  return { identities: [...identities], changes };
}

async function sweepPlace({ runtime, locale, zone }: Place, options: SweepOptions): Promise<SweepAnswer> {
  const script = fileURLToPath(new URL("./sweep-process.ts", import.meta.url));
  const words = [script, String(options.rounds), options.fault ?? "none", options.storeUrl ?? ""];
  const env = { PATH: process.env.PATH, LC_ALL: locale, LANG: locale, TZ: zone };
  const { stdout } = await promisify(execFile)(runtime, words, { env });
  return JSON.parse(stdout) as SweepAnswer;
}
