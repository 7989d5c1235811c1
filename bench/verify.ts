/**
 * What does it cost to look at a turn, against `JSON.parse` of its body? The engine's own way: read, join the lane, judge,
 * record. Run: `node bench/verify.ts [--json]`.
 */
import crypto, { hash } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import canonicalize from "canonicalize";
import { readRequest } from "../src/dispatch/document.ts";
import { judge } from "../src/dispatch/judge.ts";
import { rowChainOf } from "../src/dispatch/row-chain.ts";
import { createEngine } from "../src/engine/create-engine.ts";
import type { Engine } from "../src/engine/engine.ts";
import { judgeBody } from "../src/engine/judge-body.ts";
import { openMemoryStore } from "../src/store/memory/open-store.ts";
import type { JsonObject, WireRequest } from "../src/wire/request.ts";
import { once, type Race, race } from "./race.ts";
import { detailOf, type Measurement, report } from "./report.ts";
import { makeSession, type Session, type SessionShape, SIZES } from "./session.ts";

const ROUNDS = 21;

/** Of 26 turns each: thousands of turns, as a gateway sees them in its first hour. */
const WARM_UP_SESSIONS = 60;

const PLACES = {
  "anthropic-messages": { path: "/v1/messages", backend: "anthropic" },
  "openai-completions": { path: "/v1/chat/completions", backend: "openai" },
  "openai-responses": { path: "/v1/responses", backend: "openai" },
} as const;

interface TurnKind {
  readonly kind: string;
  readonly shape: Partial<SessionShape>;
  readonly goal: boolean;
}

const SHAPES: readonly TurnKind[] = [
  { kind: "ASCII", shape: {}, goal: true },
  { kind: "mixed", shape: { mark: "\u2192" }, goal: true },
  { kind: "with thinking", shape: { thinking: true }, goal: false },
  { kind: "Chat Completions", shape: { api: "openai-completions" }, goal: false },
  { kind: "Responses", shape: { api: "openai-responses" }, goal: false },
];

report("verify", [
  ...(await turns()),
  ...(await wholeSessions()),
  ...(await persistentObjects()),
  ...(await firstTurns()),
  ...(await checks()),
]);

/** One more turn of a long session; the history is known. */
async function turns(): Promise<readonly Measurement[]> {
  const goals = [0.5, 0.2, 0.1];
  const naiveMin = [undefined, 30, 60];
  const races: Race<"verify" | "parse" | "naive">[] = [];
  const measured: Measurement[] = [];
  await warmUp();
  for (const [at, size] of SIZES.entries()) {
    const last = size.messages + ROUNDS * 2;
    for (const { kind, shape, goal } of SHAPES) {
      const session = makeSession({ ...shape, messagesMax: last, resultBytes: size.resultBytes });
      const raced = await raceTurns(session, size.messages, 2, shape.api);
      if (kind === "ASCII") races.push(raced);
      measured.push({
        id: goal ? "BM-V1" : "-",
        name: `a turn / JSON.parse, ${size.name} ${kind}`,
        value: raced.ratio("verify", "parse"),
        ...(goal ? { max: goals[at]! } : {}),
        detail: detailOf(raced, "verify", "parse"),
      });
      const min = naiveMin[at];
      if (kind !== "ASCII" || min === undefined) continue;
      const [value, detail] = [raced.ratio("naive", "verify"), detailOf(raced, "naive", "verify")];
      measured.push({ id: "BM-V2", name: `parse + canonicalize + SHA-256 / a turn, ${size.name}`, value, min, detail });
      measured.push(...(await countWork(session, size)));
    }
  }
  const growth = races.at(-1)!.microseconds("verify") / races[0]!.microseconds("verify");
  return [...measured, { id: "BM-V3", name: "a turn at 5 MB / at 0.2 MB", value: growth, max: 6 }];
}

/** A gateway runs for days: what is measured is compiled code. */
async function warmUp(): Promise<void> {
  const [{ messages, resultBytes }] = SIZES;
  for (const { shape } of SHAPES) {
    const session = makeSession({ ...shape, messagesMax: messages, resultBytes });
    const bodies = Array.from({ length: (messages + 1) / 2 }, (_, turn) => session.body(1 + 2 * turn));
    for (let time = 0; time < WARM_UP_SESSIONS; time++) {
      const engine = await newEngine();
      for (const body of bodies) await look(engine, body, shape.api);
    }
  }
}

/** @param step messages that are new in each turn */
async function raceTurns(session: Session, first: number, step: number, api?: keyof typeof PLACES) {
  const engine = await newEngine();
  await look(engine, session.body(first), api);
  let body: Buffer = Buffer.alloc(0);
  let text = "";
  let messages = first;
  return await race(
    {
      verify: async () => {
        await look(engine, body, api);
        return 1;
      },
      parse: once(() => JSON.parse(text)),
      naive: once(() => hash("sha256", canonicalize(JSON.parse(text))!)),
      hash: once(() => hash("sha256", body)),
    },
    {
      rounds: ROUNDS - 5,
      warmUps: 5,
      prepare() {
        messages += step;
        body = session.body(messages);
        text = body.toString();
      },
    },
  );
}

/** Bytes that `JSON.parse` and SHA-256 are given for one more turn: counted, not timed. */
async function countWork(
  session: Session,
  { name, messages }: (typeof SIZES)[number],
): Promise<readonly Measurement[]> {
  const engine = await newEngine();
  await look(engine, session.body(messages));
  const body = session.body(messages + 2);
  const tail = session.tailBytes(messages + 2, messages);
  const counted = { parsed: 0, hashed: 0 };
  const { parse } = JSON;
  const { hash: digest } = crypto;
  JSON.parse = (text, reviver) => {
    counted.parsed += Buffer.byteLength(text);
    return parse(text, reviver);
  };
  crypto.hash = ((algorithm: string, data: string | Uint8Array, encoding: "hex") => {
    counted.hashed += Buffer.byteLength(data);
    return digest(algorithm, data, encoding);
  }) as typeof digest;
  // The imported names of a built-in module follow its object only when they are told to.
  syncBuiltinESMExports();
  await look(engine, body);
  JSON.parse = parse;
  crypto.hash = digest;
  syncBuiltinESMExports();
  return [
    { id: "BM-V3", name: `bytes parsed / bytes of the new messages, ${name}`, value: counted.parsed / tail, max: 1.2 },
    { id: "BM-V3", name: `bytes hashed / bytes of the new messages, ${name}`, value: counted.hashed / tail, max: 1.2 },
  ];
}

/** All bodies of a session, from its first turn to its last. */
async function wholeSessions(): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (const { name, first, step, messages, resultBytes } of [
    { name: "1 MB in 101 turns", first: 1, step: 2, messages: 201, resultBytes: 4_000 },
    { name: "5 MB in 51 turns", first: 1, step: 20, messages: 1001, resultBytes: 4_200 },
  ]) {
    const session = makeSession({ messagesMax: messages, resultBytes });
    const turns = (messages - first) / step + 1;
    let engine = await newEngine();
    let body: Buffer = Buffer.alloc(0);
    let text = "";
    const raced = await race(
      {
        verify: async () => {
          await look(engine, body);
          return 1;
        },
        parse: once(() => JSON.parse(text)),
        hash: once(() => hash("sha256", body)),
      },
      {
        rounds: turns,
        warmUps: 10,
        async prepare(round) {
          // The last turns warm up; the session that counts is a new one.
          if (round === 0) engine = await newEngine();
          body = session.body(first + step * (round < 0 ? turns - 1 + round : round));
          text = body.toString();
        },
      },
    );
    const goal = step === 2;
    measured.push({
      id: goal ? "BM-V4" : "-",
      name: `all turns / JSON.parse of every body, ${name}`,
      value: raced.totalRatio("verify", "parse"),
      ...(goal ? { max: 0.1 } : {}),
    });
    measured.push({
      id: goal ? "BM-V4" : "-",
      name: `all turns / SHA-256 of every body, ${name}`,
      value: raced.totalRatio("verify", "hash"),
      ...(goal ? { max: 0.8 } : {}),
    });
  }
  return measured;
}

/** A host that keeps its message objects from turn to turn, its tools and its system prompt, needs no bytes at all. */
async function persistentObjects(): Promise<readonly Measurement[]> {
  const [, size] = SIZES;
  const session = makeSession({ messagesMax: size.messages + ROUNDS * 2, resultBytes: size.resultBytes });
  const measured: Measurement[] = [];
  for (const { name, max, own } of [
    { name: "same objects", max: 0.05, own: (message: object) => message },
    { name: "shallow copies", max: 0.1, own: (message: object) => ({ ...message }) },
  ]) {
    let objects: object[] = [];
    let text = "";
    let body: JsonObject = {};
    let before: { request: WireRequest; chain: ReturnType<typeof rowChainOf> } | null = null;
    const raced = await race(
      {
        turn: once(() => {
          const request = readRequest("anthropic-messages", body, before?.request.rows);
          const chain = rowChainOf(request.rows, "seed", before?.chain ?? null);
          judge(request, { backend: "anthropic", issuer: "anthropic", memory: null });
          before = { request, chain };
        }),
        parse: once(() => JSON.parse(text)),
      },
      {
        rounds: ROUNDS - 5,
        warmUps: 5,
        prepare(round) {
          text = session.body(size.messages + 2 * (round + 5)).toString();
          const parsed = JSON.parse(text);
          // The message that has lost its marker is a new one, and so are those behind it.
          objects = [...objects.slice(0, -1), ...parsed.messages.slice(Math.max(0, objects.length - 1))];
          const { tools, system } = body.tools === undefined ? parsed : body;
          body = { ...parsed, tools, system, messages: objects.map(own) };
        },
      },
    );
    const [value, detail] = [raced.ratio("turn", "parse"), detailOf(raced, "turn", "parse")];
    measured.push({ id: "BM-V5", name: `a turn of ${name} / JSON.parse, ${size.name}`, value, max, detail });
  }
  return measured;
}

/** Nothing is known yet. */
async function firstTurns(): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (const size of SIZES) {
    const body = makeSession({ messagesMax: size.messages, resultBytes: size.resultBytes }).body(size.messages);
    const text = body.toString();
    let engine = await newEngine();
    const raced = await race(
      {
        first: async () => {
          await look(engine, body);
          return 1;
        },
        parse: once(() => JSON.parse(text)),
      },
      {
        rounds: ROUNDS,
        warmUps: 5,
        async prepare() {
          engine = await newEngine();
        },
      },
    );
    const [value, detail] = [raced.ratio("first", "parse"), detailOf(raced, "first", "parse")];
    measured.push({ id: "BM-V6", name: `first turn / JSON.parse, ${size.name}`, value, max: 3.5, detail });
  }
  return measured;
}

/** `holdfast check` of one body. */
async function checks(): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (const size of SIZES) {
    const body = makeSession({ messagesMax: size.messages, resultBytes: size.resultBytes }).body(size.messages);
    const text = body.toString();
    const raced = await race(
      { check: once(() => judgeBody(body, {})), parse: once(() => JSON.parse(text)) },
      { rounds: ROUNDS, warmUps: 5 },
    );
    const [value, detail] = [raced.ratio("check", "parse"), detailOf(raced, "check", "parse")];
    measured.push({ id: "BM-V6", name: `check / JSON.parse, ${size.name}`, value, max: 3.5, detail });
  }
  return measured;
}

async function newEngine(): Promise<Engine> {
  return await createEngine({ store: openMemoryStore(), hashKey: Buffer.alloc(32, 1) });
}

async function look(engine: Engine, body: Uint8Array, api: keyof typeof PLACES = "anthropic-messages"): Promise<void> {
  const { path, backend } = PLACES[api];
  const { record } = await engine.checkRequest({
    upstream: { name: backend, url: "https://provider.example", backend },
    mode: "guard",
    method: "POST",
    path,
    headers: { "x-api-key": "bench", "x-claude-code-session-id": "bench" },
    body,
  });
  if (record.verdict.kind !== "admit") throw new Error(`a legal turn was judged ${JSON.stringify(record.verdict)}`);
}
