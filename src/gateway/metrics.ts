/** The Prometheus text format (GW-11). Names and labels come from closed lists; no model, session or text is a label. */
import type { Counter, Mode } from "../engine/engine.ts";

export interface MetricsInput {
  readonly counters: readonly Counter[];
  readonly modes: Readonly<Record<string, Mode>>;
  readonly openExchanges: number;
  readonly residentBytes: number;
}

export function toMetrics({ counters, modes, openExchanges, residentBytes }: MetricsInput): string {
  const families = new Map<string, string[]>();
  for (const { name, labels, count } of counters) {
    const family = `holdfast_${name.replace(/[^A-Za-z0-9_]/g, "_")}_total`;
    const lines = families.get(family) ?? [`# TYPE ${family} counter`];
    lines.push(`${family}${toLabels(labels)} ${count}`);
    families.set(family, lines);
  }
  const gauges = [
    "# TYPE holdfast_guard_mode gauge",
    ...Object.entries(modes).map(
      ([upstream, mode]) => `holdfast_guard_mode${toLabels({ upstream })} ${mode === "guard" ? 1 : 0}`,
    ),
    "# TYPE holdfast_open_exchanges gauge",
    `holdfast_open_exchanges ${openExchanges}`,
    "# TYPE process_resident_memory_bytes gauge",
    `process_resident_memory_bytes ${residentBytes}`,
  ];
  return `${[...[...families.values()].flat(), ...gauges].join("\n")}\n`;
}

function toLabels(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels);
  if (entries.length === 0) return "";
  return `{${entries.map(([name, value]) => `${name.replace(/\W/g, "_")}="${escapeValue(value)}"`).join(",")}}`;
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
