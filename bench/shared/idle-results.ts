import type { IdleCost } from "./measure-idle.ts";
import { atMost, type Column, megabytes, type Result, thousands } from "./result.ts";

/** The numbers to reach by a controller with nothing to do; those in MB are for a process with four components. */
const budgets = {
  idleMegabytes: 60,
  idleCpuSecondsPerMinute: 0.15,
  startMs: 150,
  present: { count: 20_000, megabytes: 120, peakMegabytes: 150, cpuSeconds: 3 },
} as const;

/** The rows of a subject on an empty cluster. */
export function emptyResults(column: Column, samples: readonly IdleCost[]): readonly Result[] {
  return [
    ...column(samples, "RSS, idle, empty cluster", "MB", ({ rss }) => megabytes(rss), atMost(budgets.idleMegabytes)),
    ...column(samples, "of it not backed by a file", "MB", ({ anonymous }) => megabytes(anonymous)),
    ...column(
      samples,
      "CPU, idle, per minute",
      "s",
      ({ idleCpuSecondsPerMinute }) => idleCpuSecondsPerMinute,
      atMost(budgets.idleCpuSecondsPerMinute),
    ),
    ...column(samples, "requests, idle, per minute", "", ({ idleRequestsPerMinute }) => idleRequestsPerMinute),
    ...column(samples, "start to first list", "ms", ({ firstListMs }) => firstListMs, atMost(budgets.startMs)),
  ];
}

/** The rows of a subject that was started with `count` volumes there; `what` names them. */
export function presentResults(column: Column, samples: readonly IdleCost[], count: number, what: string): readonly Result[] {
  const full = count === budgets.present.count ? budgets.present : undefined;
  const existing = `${thousands(count)} ${what}`;
  return [
    ...column(samples, `RSS, ${existing}`, "MB", ({ rss }) => megabytes(rss), full && atMost(full.megabytes)),
    ...column(samples, `RSS, peak, ${existing}`, "MB", ({ peak }) => megabytes(peak), full && atMost(full.peakMegabytes)),
    ...column(samples, `CPU to start and sync ${existing}`, "s", ({ cpuSeconds }) => cpuSeconds, full && atMost(full.cpuSeconds)),
  ];
}
