import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Knows which processes run, and ends them if the playground is killed before it can. */
export interface Caretaker extends AsyncDisposable {
  started(pid: number): void;
  ended(pid: number): void;
}

/** Starts a process that outlives this one for a moment; `folder` is removed with the processes. */
export function hireCaretaker(folder: string): Caretaker {
  const child = spawn(process.execPath, [join(import.meta.dirname, "caretaker-main.ts"), folder], {
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
