/** Puts other characters into a JSON string without changing how it is spelled: an escape stays an escape. */

/**
 * @param lexeme the string with its quotes, as it stands in the body
 * @param filled as many UTF-16 units as the string means; its quotes, backslashes and control characters are where they were
 */
export function respell(lexeme: string, filled: string): string {
  if (!lexeme.includes("\\")) return `"${filled}"`;
  let index = 0;
  const inner = lexeme.slice(1, -1).replace(UNIT, (unit) => {
    const character = filled[index]!;
    index += 1;
    if (!unit.startsWith("\\")) return character;
    return unit[1] === "u" ? escapeLike(unit, character) : unit;
  });
  return `"${inner}"`;
}

const UNIT = /\\u[0-9a-fA-F]{4}|\\.|[^\\]/gs;

function escapeLike(spelled: string, character: string): string {
  const digits = character.charCodeAt(0).toString(16).padStart(4, "0");
  return `\\u${/[A-F]/.test(spelled) ? digits.toUpperCase() : digits}`;
}
