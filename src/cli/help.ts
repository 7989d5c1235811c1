/** The help texts, made from the tables of commands and flags. */
import { type Command, EVERYWHERE, type Flag } from "./command.ts";
import { list, wrap } from "./output.ts";

export function describeProgram(commands: readonly (readonly [name: string, summary: string])[]): string {
  return `${wrap("Usage: holdfast COMMAND [FLAGS] [INPUT…]", "  ", "")}

${wrap("Keeps an LLM agent's prompt prefix fixed and its turns alive.")}

Commands:
${list(commands)}

${list([
  ["--version", "show the version"],
  ["--help", 'show this text; "holdfast COMMAND --help" shows the flags of one'],
])}
`;
}

export function describeCommand(command: Command): string {
  const usage = ["holdfast", command.name, "[FLAGS]", command.operands].filter((word) => word !== "").join(" ");
  return `${wrap(`Usage: ${usage}`, "  ", "")}

${wrap(command.about)}

Flags:
${list([...command.flags, ...EVERYWHERE].map((flag) => [nameFlag(flag), describeFlag(flag)] as const))}
`;
}

function nameFlag(flag: Flag): string {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`;
}

function describeFlag(flag: Flag): string {
  const choices = flag.choices === undefined ? "" : `: ${flag.choices.join(", ")}`;
  return `${flag.about}${choices}${flag.repeats ? " (repeatable)" : ""}`;
}
