/** The last look at a text before it is posted: who sits at this machine, and what looks like a credential. */

export interface Secrets {
  readonly home: string;
  readonly user: string;
  readonly machine: string;
}

/** Words that look like a credential: the prefixes of the providers, and anything long without a space or a path in it. */
const KEYS = /\b(?:sk|pk|rk|gsk|xai|AIza|ghp|gho|github_pat|AKIA|ya29|eyJ)[-_A-Za-z0-9.]{8,}|\b[A-Za-z0-9+_=-]{40,}/g;

export function redact(text: string, { home, user, machine }: Secrets): string {
  let shown = text.replace(KEYS, "[key]").replace(/\/\/[^\s/@|]+@/g, "//[user]@");
  for (const [secret, mark] of [
    [home, "~"],
    [machine, "[machine]"],
    [machine.split(".", 1)[0] ?? "", "[machine]"],
    [user, "[user]"],
  ] as const) {
    if (secret.length > 1) shown = shown.replace(wordOf(secret), mark);
  }
  return shown;
}

/** Not inside a longer word: a user may be called `pi`. */
function wordOf(secret: string): RegExp {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, "gi");
}
