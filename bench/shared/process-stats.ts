import { readFileSync, writeFileSync } from "node:fs";

/** The memory of a process according to the kernel, in bytes. */
export interface ProcessMemory {
  readonly rss: number;
  /** The largest `rss` since the process started, or since {@link forgetPeak}. */
  readonly peak: number;
  /** The part of `rss` that no file backs: heaps and stacks. */
  readonly anonymous: number;
}

export function processMemory(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) * 1024;
  return { rss: field("VmRSS"), peak: field("VmHWM"), anonymous: field("RssAnon") };
}

/** Counts {@link ProcessMemory.peak} from now on. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** USER_HZ: 100 on every Linux architecture that runs this. */
const ticksPerSecond = 100;

/** The CPU seconds that a process has used. */
export function processCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The program's name may contain anything; what follows its closing parenthesis does not.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
