import { writeSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

interface Watch {
  /** Holds the number of the present case. */
  readonly counter: Int32Array;
  readonly limitMs: number;
  /** `npm run fuzz` with the target and seed, for the message. */
  readonly command: string;
}

/**
 * A thread that ends the process when one case does not end, and says which: a loop that never yields can be noticed from another
 * thread only.
 */
export function startWatchdog(limitMs: number, command: string): { began(number: number): void; stop(): void } {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(import.meta.filename, { workerData: { counter, limitMs, command } satisfies Watch });
  worker.unref();
  return {
    began: (number) => void Atomics.store(counter, 0, number),
    stop: () => void worker.postMessage("stop"),
  };
}

function guard({ counter, limitMs, command }: Watch): void {
  let current = Atomics.load(counter, 0);
  let since = performance.now();
  const timer = setInterval(() => {
    const now = Atomics.load(counter, 0);
    if (now !== current) [current, since] = [now, performance.now()];
    else if (performance.now() - since > limitMs) {
      writeSync(2, `fuzz: a case did not end within ${limitMs / 1000} s; run it again: ${command} --case ${current}\n`);
      process.kill(process.pid, "SIGKILL");
    }
  }, 200);
  parentPort?.once("message", () => clearInterval(timer));
}

if (!isMainThread) guard(workerData);
