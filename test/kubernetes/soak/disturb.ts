import { setTimeout as sleep } from "node:timers/promises";
import type { NodeProcess } from "./node-processes.ts";

export interface Disturbed {
  readonly processes: () => readonly NodeProcess[];
  readonly kill: (pid: number) => void;
  readonly restartApiServer: () => Promise<void>;
  readonly random: () => number;
  /** Is told what was done. */
  readonly report: (what: string) => void;
  readonly signal: AbortSignal;
}

/** Kills one of the programs, or the API server, every 15 to 60 seconds, until the signal. */
export async function disturb(world: Disturbed): Promise<void> {
  for (;;) {
    await sleep(15_000 + world.random() * 45_000, undefined, { signal: world.signal }).catch(() => {});
    if (world.signal.aborted) return;
    await disturbOnce(world);
  }
}

export async function disturbOnce({ processes, kill, restartApiServer, random, report }: Disturbed): Promise<void> {
  if (random() < 0.15) {
    report("kube-apiserver");
    await restartApiServer();
    return;
  }
  const running = processes();
  const victim = running[Math.floor(random() * running.length)];
  if (!victim) return;
  report(victim.label);
  kill(victim.pid);
}
