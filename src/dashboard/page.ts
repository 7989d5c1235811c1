/**
 * The status page at `/` (GW-11): one document without anything from elsewhere. All data arrives as JSON and is put into
 * the page as text, so no name that a client chose can become markup.
 */
import { createHash } from "node:crypto";
import { script } from "./page-script.ts";
import { style } from "./page-style.ts";

export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Holdfast</h1>
<p id="summary" role="status">Reading…</p>
</header>
<main>
<section aria-labelledby="turns-title">
<h2 id="turns-title">Last turns</h2>
<p class="legend"><span class="read">cache read</span> <span class="write">cache write</span> <span class="input">uncached</span></p>
<div class="scroll"><table><thead><tr><th scope="col">Time</th><th scope="col">Upstream</th><th scope="col">Model</th><th scope="col">Verdict</th><th scope="col">Outcome</th><th scope="col">Status</th><th scope="col">Input tokens</th><th scope="col">Output</th><th scope="col">Note</th></tr></thead><tbody id="turns"></tbody></table></div>
<p id="turns-more" class="note"></p>
</section>
<section aria-labelledby="upstreams-title">
<h2 id="upstreams-title">Upstreams</h2>
<div class="scroll"><table><thead><tr><th scope="col">Name</th><th scope="col">Base URL</th><th scope="col">Goes to</th><th scope="col">Mode</th></tr></thead><tbody id="upstreams"></tbody></table></div>
</section>
<section aria-labelledby="sessions-title">
<h2 id="sessions-title">Sessions</h2>
<div class="scroll"><table><thead><tr><th scope="col">Session</th><th scope="col">Upstream</th><th scope="col">Model</th><th scope="col">Turns</th><th scope="col">Repaired</th><th scope="col">Degraded</th><th scope="col">Input tokens</th><th scope="col">Output</th></tr></thead><tbody id="sessions"></tbody></table></div>
<p id="sessions-more" class="note"></p>
</section>
<section aria-labelledby="agents-title">
<h2 id="agents-title">Connect an agent</h2>
<div class="scroll"><table><thead><tr><th scope="col">API</th><th scope="col">Base URL to paste</th></tr></thead><tbody id="apis"></tbody></table></div>
<div id="agents"></div>
</section>
<section aria-labelledby="counters-title">
<h2 id="counters-title">Counters</h2>
<div class="scroll"><table><thead><tr><th scope="col">Name</th><th scope="col">Labels</th><th scope="col">Count</th></tr></thead><tbody id="counters"></tbody></table></div>
</section>
</main>
<noscript>This page reads its numbers with a script. The same numbers are at api/status, api/turns, api/sessions, api/counters and metrics.</noscript>
<script>${script}</script>
</body>
</html>
`;

export const statusPage: Page = {
  html,
  contentSecurityPolicy: [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
};

function hashOf(inline: string): string {
  return `sha256-${createHash("sha256").update(inline).digest("base64")}`;
}
