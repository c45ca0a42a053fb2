import { readFileSync } from "node:fs";

/** What the kernel counts in on every Linux that runs this. */
const ticksPerSecond = 100;

/** The CPU seconds that a process has used, whatever program it is. */
export function processCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The program's name may contain anything; what follows its closing parenthesis does not.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
