/** Everything that can be set, once: the check of a file, its type and the JSON Schema that the package ships (CL-4). */
import { z } from "zod";
import { APIS, BACKENDS } from "../wire/api.ts";

const upstream = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "expected a name (string) of letters, digits and ._-")
    .describe("First path segment at the gateway. The name of a built-in replaces its URL and keeps its backend."),
  url: z
    .url({ protocol: /^https?$/, error: "expected a URL (string) that begins with http:// or https://" })
    .describe("Base URL; path and query of a request are put behind it."),
  api: z.enum(APIS).exactOptional().describe("The wire protocol; detected per request without it."),
  backend: z.enum(BACKENDS).exactOptional().describe("Who answers there."),
});

const mode = z.enum(["guard", "observe"]);

export const configSchema = z
  .strictObject({
    $schema: z.string(),
    port: z.int().min(0).max(65535).describe("Where the gateway listens; 0 takes a free port. Default 4141."),
    host: z.string().min(1).describe("Address to listen on. Any other than loopback needs a token. Default 127.0.0.1."),
    token: z
      .string()
      .regex(/^[A-Za-z0-9._~-]{16,200}$/, "expected a string of 16 to 200 letters, digits and ._~-")
      .describe("What a client sends as x-holdfast-token or first path segment: 16 to 200 letters, digits and ._~-"),
    store: z
      .string()
      .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+|memory:)$/, "expected a string: sqlite:PATH, postgres://… or memory:")
      .describe("sqlite:PATH, postgres://USER@HOST/DATABASE or memory:. Default: SQLite in the data folder."),
    mode: mode.describe("guard repairs what is proven to be refused; observe never touches a byte. Default guard."),
    capture_bodies: z
      .string()
      .min(1)
      .describe("Folder for redacted bodies of requests that are rejected or unknown. None are kept without it."),
    upstreams: z.array(upstream).max(100).describe("Providers beside or instead of the built-in ones."),
    allowed_hosts: z
      .array(z.string().min(1))
      .max(100)
      .describe("Names beside localhost by which clients reach the gateway."),
    allowed_origins: z
      .array(z.url("expected an origin (string) such as https://example.org"))
      .max(100)
      .describe("Web pages that may call the gateway, as their origin. Loopback always may."),
  })
  .partial();

export type ConfigFile = z.infer<typeof configSchema>;

/** What is wrong in one place of a configuration. */
export interface ConfigIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export function findConfigIssues(value: unknown): readonly ConfigIssue[] {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.map((issue) => {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    if (issue.code === "unrecognized_keys")
      return { path: [...path, issue.keys[0]!], message: "there is no such setting" };
    return { path, message: issue.message.replace(/^Invalid (input|option): /, "") };
  });
}
