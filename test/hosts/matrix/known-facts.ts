/** What stands in the matrix beside the results: where Holdfast sits in a host, and why a cell has no test. */
import type { Host, Stage } from "./stages.ts";

export const foreword = `# Hosts: what Holdfast can see and do there

Versions: Pi 1.6.0, OMP 18.2.3, OpenCode 1.18.33, AI SDK 7.0.173 and 6.0.326; \`fetch\` is \`wrapFetch\` in \`@anthropic-ai/sdk\` 1.14.0 and
\`openai\` 7.59.0. This page is written by \`node test/hosts/matrix/matrix.ts\` from the results of \`npm run test:hosts\`; CI fails where they
differ.`;

interface Place {
  readonly what: string;
  readonly in: Readonly<Record<Host, string>>;
}

export const places: readonly Place[] = [
  {
    what: "loaded by",
    in: {
      Pi: "`pi.extensions`",
      OMP: "`omp.extensions`",
      OpenCode: '`exports["./server"]`',
      "AI SDK 7": "`wrapLanguageModel`",
      "AI SDK 6": "`wrapLanguageModel`",
      fetch: "`fetch` option",
    },
  },
  {
    what: "works in",
    in: {
      Pi: "`context`, `before_provider_request`",
      OMP: "`before_provider_request`",
      OpenCode: "`config` hook: a `fetch` per provider",
      "AI SDK 7": "middleware: the model's `fetch`",
      "AI SDK 6": "middleware: the model's `fetch`",
      fetch: "the `fetch`",
    },
  },
  {
    what: "sees of the request",
    in: {
      Pi: "array, and object before its JSON",
      OMP: "object before its JSON; of a delta also what its provider holds",
      OpenCode: "bytes",
      "AI SDK 7": "prompt, and bytes",
      "AI SDK 6": "prompt, and bytes",
      fetch: "bytes",
    },
  },
  {
    what: "sees of the answer",
    in: {
      Pi: "status, error text",
      OMP: "status, error text",
      OpenCode: "all",
      "AI SDK 7": "all",
      "AI SDK 6": "all",
      fetch: "all",
    },
  },
  {
    what: "sends again after a 400",
    in: {
      Pi: "with the next request",
      OMP: "with the next request",
      OpenCode: "at once, once",
      "AI SDK 7": "at once, once",
      "AI SDK 6": "at once, once",
      fetch: "at once, once",
    },
  },
  {
    what: "a throw of ours",
    in: {
      Pi: "the host goes on",
      OMP: "the host goes on",
      OpenCode: "would end the turn: caught by us",
      "AI SDK 7": "caught by us",
      "AI SDK 6": "caught by us",
      fetch: "caught by us",
    },
  },
];

/**
 * What happens to a request in each API that a host speaks, by the name that Pi and OMP have for it. The third column is
 * for hosts that show bytes.
 */
export const apis: readonly (readonly [api: string, pi: string, omp: string, bytes: string])[] = [
  ["`anthropic-messages`", "judged", "judged", "judged"],
  ["`openai-completions`", "judged", "judged", "judged"],
  ["`openai-responses`", "judged", "judged, of a delta the whole", "judged; a chain is only looked at"],
  ["`openai-codex-responses`", "judged", "judged; deltas are only looked at", "judged; a chain is only looked at"],
  ["`azure-openai-responses`", "judged", "judged", "judged"],
  ["`google-generative-ai`", "judged", "judged", "judged"],
  ["`google-vertex`", "judged, also where the address is a pattern", "judged", "judged"],
  [
    "`google-gemini-cli` (Code Assist)",
    "not spoken",
    "judged; repaired after a first rejection",
    "passed on: its contents are a level down",
  ],
  ["`bedrock-converse-stream`", "judged", "judged", "judged; only looked at where AWS has signed it"],
  ["`mistral-conversations`", "judged", "not spoken", "judged"],
  ["`openrouter`", "as one of OpenAI's", "judged as one of OpenAI's", "as one of OpenAI's"],
  ["`pi-messages` (Radius)", "passed on, counted", "not spoken", "passed on, counted"],
  ["`ollama-chat`", "not spoken", "passed on, counted", "looked at as Chat Completions"],
  ["`cursor-agent`, `gitlab-duo-agent`, `devin-agent`", "not spoken", "passed on, counted", "passed on"],
];

interface Reason {
  readonly hosts: readonly Host[];
  readonly stage: Stage;
  readonly why: string;
}

export const reasons: readonly Reason[] = [
  {
    hosts: ["AI SDK 7", "AI SDK 6", "fetch"],
    stage: "hook order",
    why: "nothing is called but the `fetch` and, in the AI SDK, the middleware in front of it",
  },
  {
    hosts: ["OMP"],
    stage: "prepared",
    why: "only a listener for `context` would show OMP's array, and it costs cache breakpoints (HO-2, tested)",
  },
  {
    hosts: ["OpenCode"],
    stage: "prepared",
    why: "the messages hook shows OpenCode's parts, with call and result in one, and not to which request they belong",
  },
  { hosts: ["fetch"], stage: "prepared", why: "the body is the first thing that there is to see" },
  {
    hosts: ["OMP", "OpenCode", "fetch"],
    stage: "operations",
    why: "they bound the comparison of what was prepared, and here nothing is",
  },
  {
    hosts: ["AI SDK 7", "AI SDK 6"],
    stage: "operations",
    why: "a step of `generateText` is not told apart from a call of its own; an operation begins where the user speaks",
  },
  {
    hosts: ["OpenCode"],
    stage: "/holdfast",
    why: "a plugin of version 1 cannot answer a command; `holdfast doctor` shows its counts",
  },
  {
    hosts: ["AI SDK 7", "AI SDK 6", "fetch"],
    stage: "/holdfast",
    why: "there is no command line; `holdfast doctor` shows the counts",
  },
];

/** By name, and what to know. */
export const outside: readonly (readonly [string, string])[] = [
  [
    "OpenCode 2 plugins",
    "`aisdk.language` is offered in the types and was not called by 1.18.33 in its default runtime",
  ],
  [
    "OpenCode, providers known by login only",
    "an entry in the configuration would show them as configured; name the provider under `provider`, or use the gateway",
  ],
  ["OMP, title requests", "OMP shows no hook of an extension the request for a title"],
  ["OMP, Codex", "the base of the next delta is not what was sent; deltas are only looked at"],
  [
    "Pi, Gemini before version 3",
    "its calls have no ids, and Pi writes parallel results in the order in which they came: where that is another one, each call gets the other's result. It is reported as `result_content_changed`",
  ],
  ["AI SDK, a call without its result", "`ai` itself throws `AI_MissingToolResultsError` before any middleware"],
  [
    "AI SDK, models by name through Vercel's gateway",
    "one body of its own; counted as `request_unread` where it has no `fetch`",
  ],
  ["Claude Code, Codex", "no hook sees the payload; use the gateway"],
];
