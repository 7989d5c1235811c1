/** One thing that `holdfast doctor` looked at. */

export interface DoctorCheck {
  readonly id: string;
  /** What was found. Numbers, versions and our own words only: a title may be posted in public. */
  readonly title: string;
  readonly status: "ok" | "warn" | "fail";
  /** What to do; null where there is nothing. */
  readonly advice: string | null;
  /** Where it is (a path, an address), and what others said of it. Never posted. */
  readonly detail: string | null;
}

export function ok(id: string, title: string, detail: string | null = null): DoctorCheck {
  return { id, title, status: "ok", advice: null, detail };
}

export function warn(id: string, title: string, advice: string, detail: string | null = null): DoctorCheck {
  return { id, title, status: "warn", advice, detail };
}

export function fail(id: string, title: string, advice: string, detail: string | null = null): DoctorCheck {
  return { id, title, status: "fail", advice, detail };
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
