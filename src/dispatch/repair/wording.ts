/**
 * The few fixed sentences that a repair may put into a history. They are constants without clock or counter: a repair
 * that is made again on the next turn gives the same bytes, so the provider's cache holds (DG-22, DG-25).
 */

export const noResultText =
  "No result: this call was interrupted before it returned anything. Whether it took effect is not known.";

export const emptyRowText = "(empty)";

/** Keeps an empty separator between two thinking blocks in its place. */
export const separatorText = "...";

export const continueText = "Continue.";

/** Stands where a strict chat template wants a word of the assistant between two of the user. */
export const noAnswerText = "(no answer)";

/** Between the words of two neighbouring rows that become one. */
export const rowSeparator = "\n\n";

export function orphanText(callId: string, content: string): string {
  const head = `[Result of an earlier tool call (${callId}) that is no longer part of this conversation]`;
  return content === "" ? head : `${head}\n${content}`;
}

/** A real result that came when its call had been answered with `noResultText`. */
export function lateResultText(callId: string, content: string): string {
  return `[Result of the earlier tool call (${callId}), which came late]\n${content}`;
}

/** A result beyond the one that its call keeps. */
export function furtherResultText(callId: string, content: string): string {
  return `[Further result of the tool call (${callId})]\n${content}`;
}

export function systemNoteText(content: string): string {
  return `<system-note>\n${content}\n</system-note>`;
}
