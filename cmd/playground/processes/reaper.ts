import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Kills the processes of a playground that is killed before it could stop them. */
export interface Reaper extends AsyncDisposable {
  started(pid: number): void;
  ended(pid: number): void;
}

/** Starts a process that outlives this one for a moment and removes `folder` with the processes. */
export function startReaper(folder: string): Reaper {
  const child = spawn(process.execPath, [join(import.meta.dirname, "reaper-main.ts"), folder], {
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const gone = once(child, "exit").catch(() => {});
  child.stdin.on("error", () => {});
  return {
    started: (pid) => void child.stdin.write(`+${pid}\n`),
    ended: (pid) => void child.stdin.write(`-${pid}\n`),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await gone;
    },
  };
}
