import { readFileSync } from "node:fs";

/** What the kernel says of a process's memory, in bytes. */
export interface ProcessMemory {
  readonly rss: number;
  /** The most that was resident since the process began. */
  readonly peak: number;
  /** The part of `rss` that no file backs: heaps and stacks. */
  readonly anonymous: number;
}

export function processMemory(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) * 1024;
  return { rss: field("VmRSS"), peak: field("VmHWM"), anonymous: field("RssAnon") };
}
