/**
 * A command is one record: its parsing, its help and its tests are made from the same table of flags, so that none of
 * them can promise what another does not know.
 */
import type { ExitCode } from "./exit.ts";

export interface Flag {
  /** Long name without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** What help calls the value; a flag without it is a switch. */
  readonly value?: string;
  /** The closed list of values, where there is one. */
  readonly choices?: readonly string[];
  /** It may stand more than once, and every value counts. */
  readonly repeats?: true;
  readonly about: string;
}

export interface Command {
  readonly name: string;
  /** The operands as the usage line shows them, for example `INPUT…`. */
  readonly operands: string;
  /** What it does, for the top of its help. */
  readonly about: string;
  readonly flags: readonly Flag[];
  run(invocation: Invocation): Promise<ExitCode>;
}

/** What the person typed, checked against the command's flags. Asking for a flag that the command has not is our mistake. */
export interface Invocation {
  readonly operands: readonly string[];
  isOn(flag: string): boolean;
  value(flag: string): string | undefined;
  values(flag: string): readonly string[];
}

/** The same in every command. */
export const EVERYWHERE: readonly Flag[] = [
  { name: "debug", about: "show the stack of an error" },
  { name: "help", short: "h", about: "show this text" },
];
