import { readdirSync } from "node:fs";
import { processCpuSeconds, processMemory } from "../../../bench/shared/process-stats.ts";
import type { Label, NodeProcess } from "./node-processes.ts";

/** What a process takes, at a moment. */
export interface ProcessUsage {
  readonly pid: number;
  readonly label: Label;
  readonly rss: number;
  /** Since it started. */
  readonly cpuSeconds: number;
  readonly descriptors: number;
}

export interface Sample {
  /** Since the start of the soak. */
  readonly seconds: number;
  readonly processes: readonly ProcessUsage[];
  readonly watches: number;
  readonly objects: Readonly<Record<string, number>>;
  readonly lives: number;
  readonly kills: number;
}

/** Nothing for a process that has ended meanwhile. */
export function usageOf({ pid, label }: NodeProcess): ProcessUsage | [] {
  try {
    const descriptors = readdirSync(`/proc/${pid}/fd`).length;
    return { pid, label, rss: processMemory(pid).rss, cpuSeconds: processCpuSeconds(pid), descriptors };
  } catch {
    return [];
  }
}

/** How many watches the API server has open, according to its metrics. */
export function openWatches(metrics: string): number {
  return metrics
    .split("\n")
    .filter((line) => line.startsWith("apiserver_longrunning_requests{") && line.includes('verb="WATCH"'))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

export function mebibytes(bytes: number): number {
  return Math.round(bytes / (1 << 20));
}
