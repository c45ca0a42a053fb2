import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { type ProcessMemory, processCpuSeconds, processMemory } from "./process-stats.ts";
import { ended, type Workbench } from "./workbench.ts";

/** A sidecar under measurement, ours or a peer: any program that takes flags and logs. */
export class Sidecar implements AsyncDisposable {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly #child: ChildProcess;
  readonly #log: string;
  readonly #name: string;

  /** Its log goes to a file, so that no process spends CPU on reading it. */
  constructor(bench: Workbench, name: string, program: string, args: readonly string[]) {
    this.#name = name;
    this.#log = bench.path(`${name.replaceAll(/\W/g, "-")}-${Date.now()}.log`);
    const log = openSync(this.#log, "w");
    this.startedAt = Date.now();
    this.#child = spawn(program, args, { stdio: ["ignore", log, log], env: { POD_NAMESPACE: "default" } });
    closeSync(log);
    bench.defer(() => ended(this.#child));
    this.pid = this.#child.pid ?? 0;
    if (this.pid === 0) throw new Error(`cannot start ${program}`);
  }

  get memory(): ProcessMemory {
    return processMemory(this.pid);
  }

  get cpuSeconds(): number {
    return processCpuSeconds(this.pid);
  }

  /** Throws, with the end of its log, when it has exited by itself. */
  check(): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) return;
    const log = readFileSync(this.#log, "utf8").trimEnd().split("\n").slice(-20).join("\n");
    throw new Error(`${this.#name} ended with exit code ${this.#child.exitCode}:\n${log}`);
  }

  /** Ends it as kubelet does, so that it can give its lease back. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 5_000).unref())]);
    }
    await ended(this.#child);
  }
}
