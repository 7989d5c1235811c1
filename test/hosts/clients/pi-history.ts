/** Random histories in Pi's own rows, and what aborts, extensions and crashes make of them. */
import fc from "fast-check";
import type { AgentMessage } from "../../../src/hosts/agent-api.ts";

type Model = { readonly provider: string; readonly id: string };

/** A user's word, then any number of steps of the model, the user, and the extensions of Pi. */
export function legalPiHistory(api: string, { provider, id: model }: Model): fc.Arbitrary<AgentMessage[]> {
  const reply = { api, provider, model, usage: {}, timestamp: 2 };
  const word = fc.constantFrom("go on", "well", "Ünïcode ✓", "two\nlines");
  const user = fc.oneof(
    word.map((text): AgentMessage => ({ role: "user", content: text, timestamp: 1 })),
    word.map((text): AgentMessage => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 })),
    word.map((text): AgentMessage => ({ role: "custom", customType: "note", content: text, display: true })),
    word.map((command): AgentMessage => ({ role: "bashExecution", command, output: "out", exitCode: 0 })),
    word.map((summary): AgentMessage => ({ role: "compactionSummary", summary, tokensBefore: 9 })),
  );
  const says = word.map((text): AgentMessage => {
    return { ...reply, role: "assistant", content: [{ type: "text", text }], stopReason: "stop" };
  });
  // Without ids the order says which result is whose.
  const turned = api === "google-generative-ai" ? fc.constant(false) : fc.boolean();
  const works = fc.record({ text: fc.option(word), count: fc.integer({ min: 1, max: 3 }), turned });
  const step = fc.oneof(
    fc.tuple(says, user),
    works.map(({ text, count, turned }) => ({ text, count, turned })),
  );
  return fc
    .tuple(user, fc.array(step, { maxLength: 6 }), fc.integer({ min: 1, max: 9 }))
    .map(([first, steps, seed]) => {
      const messages: AgentMessage[] = [first];
      for (const [nth, next] of steps.entries()) {
        if (Array.isArray(next)) messages.push(...next);
        else messages.push(...worked(reply, `call${seed}x${nth}`, next));
      }
      return messages;
    });
}

/** The model's calls and their results, in order or turned. */
function worked(
  reply: object,
  name: string,
  { text, count, turned }: { text: string | null; count: number; turned: boolean },
): AgentMessage[] {
  const ids = Array.from({ length: count }, (_, index) => `${name}n${index}`);
  const words = text === null ? [] : [{ type: "text", text }];
  const calls = ids.map((id) => ({ type: "toolCall", id, name: "bash", arguments: { command: id } }));
  const results = ids.map((id): AgentMessage => {
    const content = [{ type: "text", text: `what ${id} found` }];
    return { role: "toolResult", toolCallId: id, toolName: "bash", content, isError: false, timestamp: 3 };
  });
  const answered = turned ? results.toReversed() : results;
  return [{ ...reply, role: "assistant", content: [...words, ...calls], stopReason: "toolUse" }, ...answered];
}

type Damage = { readonly kind: "move" | "drop" | "repeat" | "abort"; readonly at: number; readonly to: number };

/** One to three faults anywhere behind the first message, which stays the user's; the user has the last word. */
export function damaged(histories: fc.Arbitrary<AgentMessage[]>): fc.Arbitrary<AgentMessage[]> {
  const kind = fc.constantFrom("move" as const, "drop" as const, "repeat" as const, "abort" as const);
  const damage = fc.record({ kind, at: fc.nat(), to: fc.nat() });
  const damages = fc.array(damage, { minLength: 1, maxLength: 3 });
  return fc
    .tuple(histories, damages)
    .map(([history, list]) => [
      ...list.reduce(applyDamage, history),
      { role: "user", content: "And now?", timestamp: 4 },
    ]);
}

function applyDamage(history: AgentMessage[], { kind, at, to }: Damage): AgentMessage[] {
  if (history.length < 2) return history;
  const index = 1 + (at % (history.length - 1));
  const row = history[index]!;
  const rest = history.toSpliced(index, 1);
  if (kind === "move") return rest.toSpliced(1 + (to % history.length), 0, row);
  if (kind === "drop") return rest;
  if (kind === "repeat") return history.toSpliced(1 + (to % history.length), 0, row);
  return row.role === "assistant" ? history.with(index, { ...row, stopReason: "aborted" }) : history;
}
