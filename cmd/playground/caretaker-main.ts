// Waits for the end of the playground and removes what it could not remove itself: after a kill -9 its processes and its folder.
// Told on standard input: "+<pid>" and "-<pid>" a line each. The folder is the argument.
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

const [folder = ""] = process.argv.slice(2);
const running = new Set<number>();
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith("+")) running.add(pid);
  else running.delete(pid);
}
for (const pid of running) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
if (folder) rmSync(folder, { recursive: true, force: true });
