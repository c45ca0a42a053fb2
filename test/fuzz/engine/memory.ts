import { readFileSync } from "node:fs";

/** What one input may take beyond all before it, and what the process may keep of all of them: a thousand times the longest of most targets. */
export const maxMemory = 256 * 1024 * 1024;

/**
 * The most that the process has ever had. It never sinks: an input that was tried before takes nothing more. On Linux `maxRSS` begins with what the
 * process that started this one had.
 */
export function peakMemory(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
  return Number(kilobytes) * 1024;
}

/** What the process has once its garbage is collected. */
export function keptMemory(): number {
  Bun.gc(true);
  return process.memoryUsage().rss;
}
