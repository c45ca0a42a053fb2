import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { ended, type Workbench } from "./workbench.ts";

/** One JSON line of a subject. */
export type Report = Readonly<Record<string, unknown>> & { readonly phase: string };

/** A program under measurement, in a process of its own. It reports its progress with `report`. */
export class Subject implements AsyncDisposable {
  /** When it was started, as milliseconds since the epoch. */
  readonly startedAt: number;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #name: string;

  constructor(bench: Workbench, program: string, settings: object) {
    this.startedAt = performance.timeOrigin + performance.now();
    this.#child = bench.start(program, [JSON.stringify(settings)]);
    const { pid, stdout } = this.#child;
    if (!pid || !stdout) throw new Error(`cannot start ${program}`);
    this.pid = pid;
    this.#name = program;
    this.#lines = createInterface(stdout)[Symbol.asyncIterator]();
  }

  /** The next report of this phase; earlier ones of other phases are skipped. */
  async report(phase: string): Promise<Report> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`${this.#name} ended before it reported "${phase}"`);
      const report: Report = JSON.parse(value);
      if (report.phase === phase) return report;
    }
  }

  /** Asks for a `usage` report: the CPU seconds used so far. */
  async cpuSeconds(): Promise<number> {
    this.#child.kill("SIGUSR2");
    return cpuSecondsOf((await this.report("usage")).cpu);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await ended(this.#child);
  }
}

/** The result of `process.cpuUsage()` in seconds. */
export function cpuSecondsOf(usage: unknown): number {
  const { user, system } = usage as NodeJS.CpuUsage;
  return (user + system) / 1e6;
}
