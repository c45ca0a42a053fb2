// Waits for the end of the playground and removes what it could not remove itself: after a SIGKILL its processes and its folder.
// Reads "+<pid>" and "-<pid>" lines from standard input. The folder is the argument.
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [folder = ""] = process.argv.slice(2);
const running = new Set<number>();
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith("+")) running.add(pid);
  else running.delete(pid);
}

/** Whether the process existed to get the signal. */
function signalProcess(pid: number, signal: "SIGKILL" | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

const killed = [...running].filter((pid) => signalProcess(pid, "SIGKILL"));
// A process that still runs might write to the folder.
for (let looks = 0; looks < 100 && killed.some((pid) => signalProcess(pid, 0)); looks++) await sleep(20);
if (folder) rmSync(folder, { recursive: true, force: true });
