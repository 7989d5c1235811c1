/** What stands in the matrix beside the results: where Holdfast sits in a host, and why a cell has no test. */
import type { Host, Stage } from "./stages.ts";

export const foreword = `# Hosts: what Holdfast can see and do there

Versions: Pi 1.6.0, OMP 18.2.3, OpenCode 1.18.33, AI SDK 7.0.173 and 6.0.326, \`@anthropic-ai/sdk\` 1.14.0 and \`openai\` 7.59.0 for \`fetch\`.
This page is written by \`node test/hosts/matrix/matrix.ts\` from the results of \`npm run test:hosts\`; CI fails where they differ.`;

/** In the order of the hosts. */
export const places: readonly (readonly string[])[] = [
  [
    "loaded by",
    "`pi.extensions`",
    "`omp.extensions`",
    '`exports["./server"]`',
    "`wrapLanguageModel`",
    "`wrapLanguageModel`",
    "`fetch` option",
  ],
  [
    "works in",
    "`context`, `before_provider_request`",
    "`before_provider_request`",
    "`config` hook: a `fetch` per provider",
    "middleware: the model's `fetch`",
    "middleware: the model's `fetch`",
    "the `fetch`",
  ],
  [
    "sees the bytes of the wire",
    "the object before its JSON",
    "the object before its JSON",
    "yes",
    "yes",
    "yes",
    "yes",
  ],
  ["sees the answer", "status, error text", "status, error text", "whole", "whole", "whole", "whole"],
  [
    "a throw of ours",
    "the host goes on",
    "the host goes on",
    "would end the turn: caught by us",
    "caught by us",
    "caught by us",
    "caught by us",
  ],
  [
    "APIs",
    "Messages, Responses, Chat Completions, Codex, Azure",
    "the same",
    "every provider of the configuration",
    "every provider with `config.fetch`",
    "every provider with `config.fetch`",
    "by URL",
  ],
];

export const reasons: readonly { readonly hosts: readonly Host[]; readonly stage: Stage; readonly why: string }[] = [];

export const outside: readonly (readonly string[])[] = [
  [
    "OpenCode 2 plugins",
    "`aisdk.language` is offered in the types and was not called by 1.18.33 in its default runtime",
  ],
  [
    "OpenCode, messages hook",
    "it sees OpenCode's parts and not the payload; call and result are one part there, so no orphan can be seen",
  ],
  [
    "OpenCode, providers known by login only",
    "an entry in the configuration would show them as configured; name the provider under `provider`, or use the gateway",
  ],
  ["OMP, `context`", "see HO-2"],
  [
    "Pi and OMP: Google, Bedrock, Mistral and the other APIs",
    "what is handed over is the argument of an SDK and not a body; counted as `request_unread`. On Pi the array is repaired for them",
  ],
  ["AI SDK, a call without its result", "`ai` itself throws `AI_MissingToolResultsError` before any middleware"],
  [
    "AI SDK, models by name through Vercel's gateway",
    "one body of its own; counted as `request_unread` where it has no `fetch`",
  ],
  ["Claude Code, Codex", "no hook sees the payload; use the gateway"],
];
