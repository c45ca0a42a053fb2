import { readdirSync } from "node:fs";
import { processCpuSeconds, processMemory } from "../../../bench/shared/process-stats.ts";
import type { NodeProcess } from "./node-processes.ts";

/** What the processes of one label take together, at a moment. */
export interface Usage {
  readonly rss: number;
  readonly cpuSeconds: number;
  readonly descriptors: number;
  readonly processes: number;
}

export interface Sample {
  /** Since the start of the soak. */
  readonly seconds: number;
  readonly usage: Readonly<Record<string, Usage>>;
  readonly watches: number;
  readonly objects: Readonly<Record<string, number>>;
  readonly lives: number;
  readonly kills: number;
}

export function usageByLabel(processes: readonly NodeProcess[]): Record<string, Usage> {
  const groups = Map.groupBy(processes, ({ label }) => label);
  return Object.fromEntries([...groups].map(([label, group]) => [label, group.map(({ pid }) => usageOf(pid)).reduce(add, none)]));
}

const none: Usage = { rss: 0, cpuSeconds: 0, descriptors: 0, processes: 0 };

function add(a: Usage, b: Usage): Usage {
  return {
    rss: a.rss + b.rss,
    cpuSeconds: a.cpuSeconds + b.cpuSeconds,
    descriptors: a.descriptors + b.descriptors,
    processes: a.processes + b.processes,
  };
}

/** Nothing for a process that has ended meanwhile. */
function usageOf(pid: number): Usage {
  try {
    const descriptors = readdirSync(`/proc/${pid}/fd`).length;
    return { rss: processMemory(pid).rss, cpuSeconds: processCpuSeconds(pid), descriptors, processes: 1 };
  } catch {
    return none;
  }
}

/** How many watches the API server has open, according to its metrics. */
export function openWatches(metrics: string): number {
  return metrics
    .split("\n")
    .filter((line) => line.startsWith("apiserver_longrunning_requests{") && line.includes('verb="WATCH"'))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
