import { inParallel } from "../../shared/in-parallel.ts";
import { report } from "../../shared/report.ts";

export interface CallSettings {
  readonly driver: string;
  readonly rounds: number;
  readonly calls: number;
}

/** Makes calls, one and a hundred at a time, and reports the CPU of each round. */
export async function measureCalls({ rounds, calls }: CallSettings, call: () => Promise<unknown>): Promise<void> {
  await inParallel(1_000, 100, call);
  for (let round = 0; round < rounds; round++) {
    for (const inFlight of [1, 100]) {
      Bun.gc(true);
      const cpu = process.cpuUsage();
      await inParallel(calls, inFlight, call);
      report({ phase: "calls", inFlight, calls, cpu: process.cpuUsage(cpu) });
    }
  }
  report({ phase: "done" });
}
