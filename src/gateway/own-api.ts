/** The gateway's own paths (GW-11): status page, JSON for it, metrics. Off the data path, so a framework may serve them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { z } from "zod";
import type { Counter, Mode } from "../engine/engine.ts";
import { apiBaseUrls, connectLines } from "./connect-lines.ts";
import { toMetrics } from "./metrics.ts";
import type { TurnLog } from "./turn-log.ts";

/** What the status page is made of; it is given in, as the page lives beside the gateway. */
export interface StatusPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

export interface OwnApiParts {
  readonly version: string;
  readonly startedAt: number;
  /** Without the token: this API is open. */
  readonly baseUrl: string;
  readonly upstreams: () => readonly UpstreamStatus[];
  readonly setMode: (upstream: string | null, mode: Mode) => boolean;
  readonly turns: TurnLog;
  readonly counters: () => readonly Counter[];
  readonly openExchanges: () => number;
  readonly page: StatusPage | null;
}

export interface UpstreamStatus {
  readonly name: string;
  readonly url: string;
  readonly mode: Mode;
}

export type OwnApi = (request: IncomingMessage, response: ServerResponse, authorised: boolean) => Promise<void>;

const modeChange = z.strictObject({
  upstream: z.string().nullable().default(null),
  mode: z.enum(["guard", "observe"]),
});

/** Hono hands the request's own objects through under this name. */
type Bindings = { readonly incoming: IncomingMessage };

export function createOwnApi(parts: OwnApiParts): OwnApi {
  const authorised = new WeakSet<IncomingMessage>();
  const app = new Hono<{ Bindings: Bindings }>();
  // The page that asks how many are on the way is no turn itself.
  let asking = 0;
  const openExchanges = () => Math.max(0, parts.openExchanges() - asking);
  app.use(async (context, next) => {
    asking += 1;
    await next().finally(() => {
      asking -= 1;
    });
    context.header("cache-control", "no-store");
    context.header("x-content-type-options", "nosniff");
    context.header("referrer-policy", "no-referrer");
  });
  app.get("/", (context) => {
    if (parts.page === null) return context.redirect("api/status");
    return context.html(parts.page.html, 200, { "content-security-policy": parts.page.contentSecurityPolicy });
  });
  app.get("/healthz", (context) =>
    context.json({ schema: 1, name: "holdfast", version: parts.version, status: "ok", pid: process.pid }),
  );
  app.get("/metrics", (context) =>
    context.text(
      toMetrics({
        counters: parts.counters(),
        modes: Object.fromEntries(parts.upstreams().map(({ name, mode }) => [name, mode])),
        openExchanges: openExchanges(),
        residentBytes: process.memoryUsage.rss(),
      }),
      200,
      { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    ),
  );
  app.get("/api/status", (context) =>
    context.json({
      schema: 1,
      version: parts.version,
      started_at: parts.startedAt,
      open_exchanges: openExchanges(),
      upstreams: parts.upstreams(),
    }),
  );
  app.get("/api/sessions", (context) => context.json({ schema: 1, sessions: parts.turns.sessions() }));
  const turnsOf = (session?: string) => ({
    schema: 1,
    turns: parts.turns.turns(session),
    waiting: parts.turns.waiting(session),
  });
  app.get("/api/sessions/:id/turns", (context) => context.json(turnsOf(context.req.param("id"))));
  app.get("/api/turns", (context) => context.json(turnsOf()));
  app.get("/api/counters", (context) => context.json({ schema: 1, counters: parts.counters() }));
  app.get("/api/connect", (context) => {
    // The page knows by which name, and through which token, its reader has come here.
    const base = context.req.query("base") ?? parts.baseUrl;
    const agents = connectLines(base).map(({ bringBack, ...line }) => ({ ...line, bring_back: bringBack }));
    const urls = apiBaseUrls(base).map(({ api, baseUrl }) => ({ api, base_url: baseUrl }));
    return context.json({ schema: 1, base_urls: urls, agents });
  });
  app.get("/api/mode", (context) => context.json({ schema: 1, modes: modesOf(parts) }));
  app.post("/api/mode", async (context) => {
    if (!authorised.has(context.env.incoming)) {
      return context.json({ schema: 1, error: "Changing the mode needs the gateway's token (x-holdfast-token)." }, 401);
    }
    const change = modeChange.safeParse(await context.req.json().catch(() => null));
    if (!change.success) {
      return context.json(
        { schema: 1, error: 'Expected {"upstream": NAME or null for all, "mode": "guard" or "observe"}.' },
        400,
      );
    }
    if (!parts.setMode(change.data.upstream, change.data.mode)) {
      return context.json({ schema: 1, error: "There is no upstream of this name." }, 404);
    }
    return context.json({ schema: 1, modes: modesOf(parts) });
  });
  app.notFound((context) => context.json({ schema: 1, error: "Nothing is here." }, 404));

  // The process may be someone else's, whose global Request and Response are not ours to replace.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return async (request, response, isAuthorised) => {
    if (isAuthorised) authorised.add(request);
    await listener(request, response);
  };
}

function modesOf(parts: OwnApiParts): Readonly<Record<string, Mode>> {
  return Object.fromEntries(parts.upstreams().map(({ name, mode }) => [name, mode]));
}
