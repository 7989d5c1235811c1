/** `holdfast demo`: the main job in one terminal, against a simulated provider. */
import { createHash } from "node:crypto";
import type { Command, Invocation } from "./command.ts";
import { createAgent } from "./demo-agent.ts";
import { type Exchange, openStage, type Stage } from "./demo-stage.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { COLUMNS, paint, wrap, writeLine } from "./output.ts";
import { usageError } from "./usage-error.ts";

export const demo: Command = {
  name: "demo",
  operands: "",
  about:
    "Plays a session that crashes between a call and its result, without and with the gateway. Needs no key and no network.",
  flags: [],
  run: runDemo,
};

async function runDemo(invocation: Invocation): Promise<ExitCode> {
  if (invocation.operands.length > 0)
    throw usageError(`demo takes no operand, but "${invocation.operands[0]}" is given`);
  const stage = await openStage();
  try {
    await play(stage);
  } finally {
    await stage.close();
  }
  return EXIT.fine;
}

async function play(stage: Stage): Promise<void> {
  const agent = createAgent();
  const passed: Exchange[] = [];
  const turn = async (name: string) => {
    const exchange = await stage.send("gateway", agent.request());
    passed.push(exchange);
    if (exchange.status === 200) agent.keep(exchange.answer);
    showMeter(`${name}: HTTP ${exchange.status}`, exchange);
    return exchange;
  };

  heading("1. A session like any other, through the gateway");
  stage.prepare({ toolCalls: [{ name: "count", input: { shelf: 4 } }] });
  stage.prepare({ text: "Shelf 4 holds 14 jars." });
  agent.say("How many jars stand on shelf 4?");
  await turn("question");
  agent.giveResult("14 jars");
  await turn("tool result");

  heading("2. The agent crashes between a call and its result");
  stage.prepare({ toolCalls: [{ name: "count", input: { shelf: 5 } }] });
  agent.say("And on shelf 5?");
  await turn("question");
  say("Killed here: the history on disk now ends with a call that has no result.");
  say("After the restart the user goes on.");
  agent.say("Are you still there? How many on shelf 5?");

  heading("3. Straight to the provider, the session is dead");
  for (const attempt of ["first try", "next try"]) {
    const { status, answer } = await stage.send("direct", agent.request());
    say(`${attempt}: ${paint("red", `HTTP ${status}`)} ${answer.error?.message ?? ""}`);
  }
  say("Every later turn sends the same history, so every later turn fails.");

  heading("4. Through the gateway, the same request is answered");
  stage.prepare({ text: "I am. The count of shelf 5 was interrupted; I can start it again." });
  const repaired = await turn("same request");
  await showRepair(stage, repaired);

  heading("5. Later turns repeat the repair byte for byte, so the cache holds");
  stage.prepare({ text: "Shelf 5 holds 9 jars." });
  agent.say("Please do.");
  await turn("next turn");

  showSum(passed);
}

async function showRepair(stage: Stage, { sent, arrived }: Exchange): Promise<void> {
  const entry = await stage.lastTurn();
  for (const { rule, path, message } of entry.violations) say(`found  ${rule} at ${path}: ${message}`);
  for (const { op, path, changes } of entry.edits) say(`did    ${op} ${path}, changes ${changes} only`);
  const start = commonStart(sent, arrived);
  const end = commonStart(sent.toReversed(), arrived.toReversed());
  const kept = Math.min(sent.length, start + end);
  say(`bytes  ${kept} of ${sent.length} as they came, ${arrived.length - kept} put in at byte ${start}`);
}

function commonStart(a: Uint8Array, b: Uint8Array): number {
  const differs = a.findIndex((byte, at) => byte !== b[at]);
  return differs === -1 ? a.length : differs;
}

function showSum(passed: readonly Exchange[]): void {
  const equal = passed.filter(({ sent, arrived }) => sha256(sent) === sha256(arrived)).length;
  const sum = (pick: (metered: NonNullable<Exchange["metered"]>) => number) =>
    passed.reduce((total, { metered }) => total + (metered === null ? 0 : pick(metered)), 0);
  heading("What happened");
  say(`${passed.length} turns through the gateway, ${passed.filter(({ status }) => status === 200).length} answered.`);
  say(`${equal} left as the same bytes (SHA-256 on both sides), ${passed.length - equal} with one repair.`);
  say(
    `Prompt tokens: ${sum((metered) => metered.read)} read from the cache, ${sum((metered) => metered.written)} written, ` +
      `${sum((metered) => metered.uncached)} uncached.`,
  );
  say("Without the gateway the session ended at turn 4; a new one would write its whole prefix again.");
  say("Next: `holdfast scan` reads the sessions of this machine, `holdfast start` opens the gateway.");
  writeLine();
}

function showMeter(name: string, { metered }: Exchange): void {
  const { read = 0, written = 0, uncached = 0 } = metered ?? {};
  const tokens = [`read ${read}`, `written ${written}`, `uncached ${uncached}`].map((part) => part.padEnd(14)).join("");
  const line = `   ${name.padEnd(26)} cache: ${tokens}`.trimEnd();
  // The columns of the table say nothing where they do not fit.
  writeLine(line.length <= COLUMNS ? line : wrap(line.trim().replace(/ +/g, " "), "      ", "   "));
}

function heading(text: string): void {
  writeLine(`\n${paint("bold", wrap(text))}`);
}

function say(text: string): void {
  writeLine(wrap(text, "   "));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
