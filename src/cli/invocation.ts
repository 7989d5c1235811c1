/** From the words of a command line to an {@link Invocation}, or a usage error that names the nearest flag. */
import { parseArgs } from "node:util";
import { assert } from "../lib/assert.ts";
import { type Command, EVERYWHERE, type Flag, type Invocation } from "./command.ts";
import { findNearestName } from "./nearest-name.ts";
import { usageError } from "./usage-error.ts";

export function parseInvocation(command: Command, words: readonly string[]): Invocation {
  const flags = [...command.flags, ...EVERYWHERE];
  const known = new Map(flags.map((flag) => [flag.name, flag]));
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  for (const token of tokenise(flags, words)) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const flag = known.get(token.name);
    if (flag === undefined) throw unknownFlag(command, flags, token.rawName);
    given.set(flag.name, [...(given.get(flag.name) ?? []), readValue(flag, token)]);
  }
  for (const [name, values] of given) {
    if (values.length > 1 && known.get(name)?.value !== undefined && !known.get(name)?.repeats) {
      throw usageError(`--${name} stands ${values.length} times; give it once`);
    }
  }
  const valuesOf = (name: string): readonly string[] => {
    assert(known.has(name), `the command ${command.name} has no flag --${name}`);
    return given.get(name) ?? [];
  };
  return {
    operands,
    isOn: (name) => valuesOf(name).length > 0,
    value: (name) => valuesOf(name)[0],
    values: valuesOf,
  };
}

interface OptionToken {
  readonly kind: "option";
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** Not `strict`: the messages of `parseArgs` name no nearest flag. */
function tokenise(flags: readonly Flag[], words: readonly string[]) {
  const options = Object.fromEntries(
    flags.map((flag) => [
      flag.name,
      {
        type: flag.value === undefined ? ("boolean" as const) : ("string" as const),
        ...(flag.short === undefined ? {} : { short: flag.short }),
      },
    ]),
  );
  return parseArgs({ args: [...words], options, allowPositionals: true, strict: false, tokens: true }).tokens;
}

function readValue(flag: Flag, token: OptionToken): string {
  if (flag.value === undefined) {
    if (token.value !== undefined) throw usageError(`${token.rawName} takes no value, but "${token.value}" is given`);
    return "";
  }
  const looksLikeFlag = !token.inlineValue && token.value !== "-" && token.value?.startsWith("-");
  if (token.value === undefined || token.value === "" || looksLikeFlag) {
    throw usageError(`${token.rawName} needs a value: ${token.rawName} ${flag.value}`);
  }
  if (flag.choices !== undefined && !flag.choices.includes(token.value)) {
    throw usageError(
      `${token.rawName} "${token.value}" is unknown${suggest(token.value, flag.choices)}; known: ${flag.choices.join(", ")}`,
    );
  }
  return token.value;
}

function unknownFlag(command: Command, flags: readonly Flag[], rawName: string) {
  const names = flags.map((flag) => `--${flag.name}`);
  return usageError(`unknown flag ${rawName}${suggest(rawName, names)}; "holdfast ${command.name} --help" lists all`);
}

function suggest(typed: string, names: readonly string[]): string {
  const nearest = findNearestName(typed, names);
  return nearest === null ? "" : `, did you mean ${nearest}?`;
}
