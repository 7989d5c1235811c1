/** A counter's labels as one text, the same for every order in which a caller wrote them. */

export function toLabelKey(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function fromLabelKey(key: string): Readonly<Record<string, string>> {
  return Object.fromEntries(JSON.parse(key) as [string, string][]);
}
