/**
 * What does a request cost that goes through the gateway, against a bare `node:http` pipe and the gateways of others?
 * Each is a process of its own; they take turns, and processor time is what the system counted for each.
 * Run: `node bench/gateway.ts [--json]`. Linux only, because of the counters.
 */
import { type ClientTurns, type Seen, sendAll } from "./gateway/load.ts";
import { GATEWAYS, type GatewayName, openStage, processorNs, residentBytes, type Stage } from "./gateway/processes.ts";
import { median } from "./race.ts";
import { type Measurement, report } from "./report.ts";
import { makeSession } from "./session.ts";

const ROUNDS = 9;

/** One kind of load. `turns` is asked for every contender and round, so that each sees a new session. */
interface Scenario {
  /** Sent and not measured: the first turn of a session. */
  readonly before: (run: string) => readonly ClientTurns[];
  readonly turns: (run: string) => readonly ClientTurns[];
}

type Contender = GatewayName | "direct";

interface Sample {
  readonly processorUs: number;
  readonly medianMs: number;
  readonly perSecond: number;
  readonly firstByteMs: number;
  readonly eventMs: number;
}

const small = Buffer.from(
  JSON.stringify({
    model: "claude-sonnet-4-5",
    max_tokens: 1000,
    system: "You are a careful engineer. ".repeat(10),
    messages: [{ role: "user", content: "What does this function do? ".repeat(5) }],
  }),
);
const megabyte = makeSession({ messagesMax: 301, resultBytes: 4_000 });
const warm = Array.from({ length: 31 }, (_, nth) => megabyte.body(201 + 2 * nth));

const scenarios = {
  "small, 1 at once": same(small, 300, 1),
  "small, 32 at once": same(small, 1_000, 32),
  "1 MB warm lane, 1 at once": sessions(1, 30),
  "1 MB warm lane, 32 at once": sessions(32, 2),
  "1 MB same body, 1 at once": same(warm[0]!, 30, 1),
  "500 events, 1 at once": same(streaming("burst"), 8, 1),
  "500 events, 32 at once": same(streaming("burst"), 64, 32),
  "500 events 2 ms apart": same(streaming("paced"), 1, 1),
} satisfies Record<string, Scenario>;

type ScenarioName = keyof typeof scenarios;

const stage = await openStage();
try {
  const samples = new Map<string, Sample[]>();
  for (let round = -1; round < ROUNDS; round++) await runRound(round, samples);
  report("gateway", measurementsOf(samples));
} finally {
  stage.close();
}

async function runRound(round: number, samples: Map<string, Sample[]>): Promise<void> {
  for (const [name, scenario] of Object.entries(scenarios)) {
    const contenders: Contender[] = ["direct", ...GATEWAYS];
    for (let nth = 0; nth < contenders.length; nth++) {
      const contender = contenders[(nth + round + contenders.length) % contenders.length]!;
      const sample = await runScenario(stage, contender, scenario, `${round} ${name} ${contender}`);
      const key = `${name} ${contender}`;
      // The first round warms up.
      if (round >= 0) samples.set(key, [...(samples.get(key) ?? []), sample]);
    }
  }
}

async function runScenario(stage: Stage, to: Contender, scenario: Scenario, run: string): Promise<Sample> {
  await sendAll(stage, to, scenario.before(run));
  const clients = scenario.turns(run);
  const { pid } = to === "direct" ? stage.upstream : stage.gateways[to];
  const processorBefore = processorNs(pid);
  const start = performance.now();
  const seen = await sendAll(stage, to, clients);
  const seconds = (performance.now() - start) / 1000;
  return {
    processorUs: (processorNs(pid) - processorBefore) / 1000 / seen.length,
    medianMs: medianOf(seen, ({ totalMs }) => totalMs),
    perSecond: seen.length / seconds,
    firstByteMs: medianOf(seen, ({ firstByteMs }) => firstByteMs),
    eventMs: seen[0]!.eventDelaysMs.length === 0 ? 0 : median(seen.flatMap(({ eventDelaysMs }) => eventDelaysMs)),
  };
}

function measurementsOf(samples: ReadonlyMap<string, readonly Sample[]>): readonly Measurement[] {
  const of = (scenario: ScenarioName, contender: Contender) => samples.get(`${scenario} ${contender}`)!;
  const value = (scenario: ScenarioName, contender: Contender, measure: keyof Sample) =>
    median(of(scenario, contender).map((sample) => sample[measure]));
  const ratio = (scenario: ScenarioName, left: Contender, right: Contender, measure: keyof Sample) =>
    median(of(scenario, left).map((sample, round) => sample[measure] / of(scenario, right)[round]![measure]));
  /** What each adds to the time without a gateway. */
  const added = (scenario: ScenarioName, left: Contender, right: Contender, measure: keyof Sample) => {
    const direct = value(scenario, "direct", measure);
    return (value(scenario, left, measure) - direct) / (value(scenario, right, measure) - direct);
  };
  const detail = (scenario: ScenarioName, left: Contender, right: Contender, measure: keyof Sample, unit: string) =>
    `${rounded(value(scenario, left, measure))} / ${rounded(value(scenario, right, measure))} ${unit}`;
  const processor = (
    id: string,
    scenario: ScenarioName,
    left: GatewayName,
    right: GatewayName,
    goal: { max?: number; min?: number },
  ): Measurement => ({
    id,
    name: `processor time ${left} / ${right}, ${scenario}`,
    value: ratio(scenario, left, right, "processorUs"),
    ...goal,
    detail: detail(scenario, left, right, "processorUs", "µs"),
  });
  const delay = (id: string, scenario: ScenarioName, measure: "medianMs" | "eventMs", max: number): Measurement => ({
    id,
    name: `added ${measure === "eventMs" ? "per event" : "per request"} holdfast / bare, ${scenario}`,
    value: added(scenario, "holdfast", "bare", measure),
    max,
    detail: `${detail(scenario, "holdfast", "bare", measure, "ms")}, direct ${rounded(value(scenario, "direct", measure))}`,
  });
  const firstByte = (left: GatewayName) =>
    value("500 events 2 ms apart", left, "firstByteMs") - value("500 events 2 ms apart", "holdfast", "firstByteMs");
  return [
    processor("BM-G1", "small, 1 at once", "holdfast", "bare", { max: 1.4 }),
    processor("BM-G1", "small, 32 at once", "holdfast", "bare", { max: 1.4 }),
    processor("BM-G1", "1 MB warm lane, 1 at once", "holdfast", "bare", { max: 1.5 }),
    processor("BM-G1", "1 MB warm lane, 32 at once", "holdfast", "bare", { max: 1.5 }),
    processor("BM-G1", "1 MB same body, 1 at once", "holdfast", "bare", { max: 1.5 }),
    {
      id: "BM-G1",
      name: "requests a second holdfast / bare, small, 32 at once",
      value: ratio("small, 32 at once", "holdfast", "bare", "perSecond"),
      min: 0.75,
      detail: detail("small, 32 at once", "holdfast", "bare", "perSecond", "a second"),
    },
    delay("BM-G2", "small, 1 at once", "medianMs", 1.3),
    delay("BM-G2", "1 MB warm lane, 1 at once", "medianMs", 2.2),
    delay("BM-G3", "500 events 2 ms apart", "eventMs", 1.2),
    { id: "BM-G3", name: "ms to the first byte holdfast - bare", value: -firstByte("bare"), max: 1 },
    processor("BM-G3", "500 events, 1 at once", "holdfast", "bare", { max: 1.2 }),
    processor("BM-G3", "500 events, 32 at once", "holdfast", "bare", { max: 1.2 }),
    processor("BM-G4", "small, 1 at once", "portkey", "holdfast", { min: 4 }),
    processor("BM-G4", "small, 32 at once", "portkey", "holdfast", { min: 4 }),
    processor("BM-G4", "1 MB warm lane, 1 at once", "portkey", "holdfast", { min: 15 }),
    { id: "BM-G4", name: "ms to the first byte portkey - holdfast", value: firstByte("portkey"), min: 20 },
    processor("BM-G5", "small, 1 at once", "hono", "holdfast", { min: 3 }),
    processor("BM-G5", "1 MB warm lane, 1 at once", "hono", "holdfast", { min: 3 }),
    processor("BM-G5", "small, 1 at once", "holdfast", "fastify", { max: 1 }),
    processor("BM-G5", "1 MB warm lane, 1 at once", "holdfast", "fastify", { max: 1 }),
    ...GATEWAYS.map((name) => ({
      id: "-",
      name: `memory of ${name} at the end, MB`,
      value: Math.round(residentBytes(stage.gateways[name].pid) / 1024 / 1024),
    })),
  ];
}

function same(body: Buffer, count: number, concurrency: number): Scenario {
  const turn = { body, session: "same" };
  const turns = Array(Math.ceil(count / concurrency)).fill(turn);
  return { before: () => [[turn]], turns: () => Array(concurrency).fill(turns) };
}

/** Sessions side by side, each with some turns: every body is the one before it and two messages more. */
function sessions(count: number, turnsEach: number): Scenario {
  const ids = (run: string) => Array.from({ length: count }, (_, nth) => `${run} ${nth}`);
  return {
    before: (run) => ids(run).map((session) => [{ body: warm[0]!, session }]),
    turns: (run) => ids(run).map((session) => warm.slice(1, 1 + turnsEach).map((body) => ({ body, session }))),
  };
}

function streaming(pace: "burst" | "paced"): Buffer {
  const messages = [{ role: "user", content: "Say a lot." }];
  const metadata = { user_id: `bench-${pace}` };
  return Buffer.from(
    JSON.stringify({ metadata, model: "claude-sonnet-4-5", max_tokens: 1000, stream: true, messages }),
  );
}

function medianOf(seen: readonly Seen[], measure: (one: Seen) => number): number {
  return median(seen.map(measure));
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
