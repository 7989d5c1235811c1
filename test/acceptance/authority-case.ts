/** The cases of RA-5 as data: every step can run in a process of its own. */
import type { PinState } from "../../src/authority/pins.ts";
import type { AgentDefinition } from "../../src/plan/agent-definition.ts";
import type { EpochReason, EpochVerb } from "../../src/plan/plan-event.ts";

export interface AuthorityCase {
  readonly title: string;
  readonly steps: readonly Step[];
}

export type Step = StartStep | CheckpointStep | CallStep | LegacyPlanStep;

/** A run starts, in the case's session unless another is named. */
export interface StartStep {
  readonly start: string;
  readonly scopes: readonly string[];
  readonly session?: string;
  readonly agent?: keyof typeof AGENTS;
  readonly refreshAuthority?: false;
  /** The process dies between storing the plan and storing the pins. */
  readonly diesBeforePins?: true;
  readonly expect: Expected;
}

export type Expected =
  | readonly [change: "keep" | EpochVerb, reason: EpochReason | null, epoch: number, tools: readonly string[]]
  | readonly ["tool_pin_mismatch", tool: string]
  | readonly ["died"];

/** The scheduler, or an older version, wrote this checkpoint. */
export interface CheckpointStep {
  readonly checkpoint: string;
  readonly state: PinState;
}

export interface CallStep {
  readonly call: string;
  readonly run: readonly string[];
  readonly current: readonly string[];
  readonly missing: readonly string[];
}

/** A plan of a time before selection scopes were stored. */
export interface LegacyPlanStep {
  readonly legacyPlan: readonly string[];
}

const tool = (name: string, ...scopes: string[]) => ({
  source: "configured" as const,
  spec: {
    name,
    version: "1",
    description: `${name} does it`,
    input_schema: { type: "object" },
    required_scopes: scopes,
  },
});

const plain: AgentDefinition = {
  api: "anthropic-messages",
  model: "anthropic:claude-sonnet-5",
  framing: "You work for the house.",
  instructions: "Answer briefly.",
  persona: { text: "Friendly.", version: "1" },
  skills: [{ name: "letters", description: "Writes letters." }],
  tools: [
    tool("mail.flag", "mail.write", "mail.read"),
    tool("schedule.list", "schedule.read"),
    tool("schedule.update", "schedule.write", "schedule.read"),
    tool("clock.now"),
  ],
  policyVersion: "policy@1",
  builderVersion: "builder@1",
};

export const AGENTS = {
  plain,
  appending: { ...plain, appendsTools: true },
  /** An agent version from before schedules existed. */
  old: { ...plain, tools: plain.tools.filter(({ spec }) => !JSON.stringify(spec).includes("schedule")) },
  toolless: { ...plain, tools: [] },
  changed: { ...plain, model: "anthropic:claude-opus-5", persona: { text: "Stern.", version: "2" } },
} as const satisfies Record<string, AgentDefinition>;

const MAIL = ["mail.read", "mail.write"];
const SCHEDULE = ["schedule.read", "schedule.write"];
const ALL = [...MAIL, ...SCHEDULE];
const MAIL_TOOLS = ["clock.now", "mail.flag"];
const SCHEDULE_TOOLS = ["clock.now", "schedule.list", "schedule.update"];
const ALL_TOOLS = ["clock.now", "mail.flag", "schedule.list", "schedule.update"];
const FIRST = "session_first_model_request";
const GROWN = "run_authority_changed";
const created = ["create", FIRST, 1, MAIL_TOOLS] as const;
const kept = ["keep", null, 1, MAIL_TOOLS] as const;
const first: StartStep = { start: "first", scopes: MAIL, expect: created };

const mailPin = (version: string) => ({
  epoch: null,
  prefixSha256: null,
  tools: [
    {
      name: "mail.flag",
      version,
      // Scopes in an order of long ago: a set has none.
      spec: { ...tool("mail.flag", "mail.write", "mail.read").spec, version },
    },
  ],
});

export const AUTHORITY_CASES: readonly AuthorityCase[] = [
  { title: "1 no plan yet: create", steps: [first] },
  { title: "2 equal scopes: keep", steps: [first, { start: "next", scopes: [...MAIL].reverse(), expect: kept }] },
  {
    title: "3 revocation: keep, and the call is denied naming the missing scope",
    steps: [
      first,
      { start: "next", scopes: ["mail.read"], expect: kept },
      { call: "mail.flag", run: ["mail.read"], current: MAIL, missing: ["mail.write"] },
    ],
  },
  {
    title: "4 one new scope, others lost: rebuild, never append",
    steps: [
      { ...first, agent: "appending" },
      {
        start: "next",
        scopes: ["mail.read", ...SCHEDULE],
        agent: "appending",
        expect: ["rebuild", GROWN, 2, SCHEDULE_TOOLS],
      },
    ],
  },
  {
    title: "4 one new scope, nothing lost: append where the api has it",
    steps: [
      { ...first, agent: "appending" },
      { start: "next", scopes: ALL, agent: "appending", expect: ["append", GROWN, 2, ALL_TOOLS] },
      { start: "again", scopes: ALL, agent: "appending", expect: ["keep", null, 2, ALL_TOOLS] },
    ],
  },
  {
    title: "4 one new scope, nothing lost: rebuild where it has not",
    steps: [first, { start: "next", scopes: ALL, expect: ["rebuild", GROWN, 2, ALL_TOOLS] }],
  },
  {
    title: "5 regained after a revocation: keep",
    steps: [
      first,
      { start: "less", scopes: ["mail.read"], expect: kept },
      { start: "next", scopes: MAIL, expect: kept },
    ],
  },
  {
    title: "6 two incomparable callers: grow each time",
    steps: [
      first,
      { start: "b", scopes: SCHEDULE, expect: ["rebuild", GROWN, 2, SCHEDULE_TOOLS] },
      { start: "a", scopes: MAIL, expect: ["rebuild", GROWN, 3, MAIL_TOOLS] },
      { start: "c", scopes: SCHEDULE, expect: ["rebuild", GROWN, 4, SCHEDULE_TOOLS] },
    ],
  },
  {
    title: "7 unknown stored scopes: grow once",
    steps: [
      { legacyPlan: MAIL },
      { start: "next", scopes: MAIL, expect: ["restamp", GROWN, 2, MAIL_TOOLS] },
      { start: "again", scopes: MAIL, expect: ["keep", null, 2, MAIL_TOOLS] },
    ],
  },
  {
    title: "7 unknown stored scopes: never append",
    steps: [
      { legacyPlan: MAIL },
      { start: "next", scopes: ALL, agent: "appending", expect: ["rebuild", GROWN, 2, ALL_TOOLS] },
    ],
  },
  {
    title: "8 known to be none, and none: keep",
    steps: [
      { start: "first", scopes: [], expect: ["create", FIRST, 1, ["clock.now"]] },
      { start: "next", scopes: [], expect: ["keep", null, 1, ["clock.now"]] },
    ],
  },
  {
    title: "9 known to be none, and some: grow",
    steps: [
      { start: "first", scopes: [], expect: ["create", FIRST, 1, ["clock.now"]] },
      { start: "next", scopes: MAIL, expect: ["rebuild", GROWN, 2, MAIL_TOOLS] },
    ],
  },
  {
    title: "10 the scheduler's seeded checkpoint may build the first plan",
    steps: [{ checkpoint: "first", state: { pinsInitialised: false, pins: null, pendingCalls: [] } }, first],
  },
  {
    title: "11 pins initialised and empty: keep",
    steps: [
      first,
      { checkpoint: "next", state: { pinsInitialised: true, pins: null, pendingCalls: [] } },
      { start: "next", scopes: ALL, expect: kept },
    ],
  },
  {
    title: "12 an old checkpoint with pins and no flag is pinned: keep",
    steps: [
      first,
      { checkpoint: "next", state: { pins: mailPin("1"), pendingCalls: [] } },
      { start: "next", scopes: ALL, expect: kept },
    ],
  },
  {
    title: "13 an old checkpoint without pins and flag is not pinned",
    steps: [
      first,
      { checkpoint: "next", state: { pins: null, pendingCalls: [] } },
      { start: "next", scopes: ALL, expect: ["rebuild", GROWN, 2, ALL_TOOLS] },
    ],
  },
  {
    title: "14 pending calls without pins: no refresh, but a mismatch",
    steps: [
      first,
      { checkpoint: "next", state: { pins: null, pendingCalls: ["mail.flag"] } },
      { start: "next", scopes: ALL, expect: ["tool_pin_mismatch", "mail.flag"] },
      { start: "other", scopes: MAIL, expect: kept },
    ],
  },
  {
    title: "15 a resume with pins keeps its own plan",
    steps: [
      first,
      { start: "next", scopes: ALL, expect: ["rebuild", GROWN, 2, ALL_TOOLS] },
      { start: "first", scopes: MAIL, expect: kept },
      { start: "first", scopes: ALL, agent: "changed", expect: kept },
    ],
  },
  {
    title: "16 a crash before the first pins: unpinned again, keep",
    steps: [
      { ...first, diesBeforePins: true, expect: ["died"] },
      { start: "first", scopes: MAIL, expect: kept },
    ],
  },
  {
    title: "17 permissions change while a run goes on: calls are checked, the plan stays",
    steps: [
      first,
      { call: "mail.flag", run: MAIL, current: MAIL, missing: [] },
      { call: "mail.flag", run: MAIL, current: SCHEDULE, missing: ["mail.read", "mail.write"] },
      { start: "first", scopes: MAIL, expect: kept },
    ],
  },
  {
    title: "18 another caller without refresh: keep",
    steps: [first, { start: "next", scopes: SCHEDULE, refreshAuthority: false, expect: kept }],
  },
  {
    title: "20 equal prefix, other authority: re-stamp",
    steps: [
      first,
      { start: "next", scopes: [...MAIL, "files.read"], expect: ["restamp", GROWN, 2, MAIL_TOOLS] },
      { start: "again", scopes: ["files.read"], expect: ["keep", null, 2, MAIL_TOOLS] },
    ],
  },
  {
    title: "21 a session without tools stores hashes all the same",
    steps: [
      { start: "first", scopes: MAIL, agent: "toolless", expect: ["create", FIRST, 1, []] },
      { start: "same", scopes: MAIL, agent: "toolless", expect: ["keep", null, 1, []] },
      { start: "more", scopes: ALL, agent: "toolless", expect: ["restamp", GROWN, 2, []] },
    ],
  },
  {
    title: "22 an agent version that never enabled the tool: re-stamp, no upgrade",
    steps: [
      { ...first, agent: "old" },
      { start: "next", scopes: ALL, agent: "old", expect: ["restamp", GROWN, 2, MAIL_TOOLS] },
    ],
  },
  {
    title: "23 model and persona changed too: one rebuild",
    steps: [
      first,
      { start: "next", scopes: ALL, agent: "changed", expect: ["rebuild", GROWN, 2, ALL_TOOLS] },
      { start: "again", scopes: ALL, agent: "changed", expect: ["keep", null, 2, ALL_TOOLS] },
    ],
  },
  {
    title: "24 a child run in another session has its own plan",
    steps: [
      first,
      { start: "child", session: "child", scopes: SCHEDULE, expect: ["create", FIRST, 1, SCHEDULE_TOOLS] },
      { start: "next", scopes: MAIL, expect: kept },
    ],
  },
];
