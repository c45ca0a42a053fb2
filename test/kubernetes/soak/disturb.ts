import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@csi-sidecars/base";
import type { NodeProcess } from "./node-processes.ts";

export interface Disturbed {
  readonly processes: () => readonly NodeProcess[];
  readonly kill: (pid: number) => void;
  readonly restartApiServer: () => Promise<void>;
  readonly random: () => number;
  /** Whether nothing is to be killed now. */
  readonly isQuiet: () => boolean;
  /** Is told what was done. */
  readonly report: (what: string) => void;
  /** Is told what could not be done. */
  readonly reportFailure: (what: string) => void;
  readonly signal: AbortSignal;
}

/** Kills one of the programs, or the API server, every 15 to 60 seconds unless it is to be quiet, until the signal. */
export async function disturb(world: Disturbed): Promise<void> {
  for (;;) {
    await sleep(15_000 + world.random() * 45_000, undefined, { signal: world.signal }).catch(() => {});
    if (world.signal.aborted) return;
    if (!world.isQuiet()) await disturbOnce(world);
  }
}

/** Never rejects: whatever cannot be disturbed now, something else can be later. */
export async function disturbOnce(world: Disturbed): Promise<void> {
  if (world.random() < 0.15) {
    // Without an API server nothing else goes on.
    for (let attempt = 0; attempt < 5; attempt++) if (await succeeds(world, "kube-apiserver", world.restartApiServer)) return;
    return;
  }
  const running = world.processes();
  const victim = running[Math.floor(world.random() * running.length)];
  if (victim) await succeeds(world, victim.label, () => world.kill(victim.pid));
}

async function succeeds({ report, reportFailure }: Disturbed, label: string, act: () => void | Promise<void>): Promise<boolean> {
  try {
    await act();
    report(label);
    return true;
  } catch (error) {
    reportFailure(`${label}: ${messageOf(error)}`);
    return false;
  }
}
