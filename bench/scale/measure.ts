import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@csi-sidecars/testcluster";
import { argumentsOf, type ControllerSubject, withFlags } from "../shared/controller-subject.ts";
import { forgetPeak } from "../shared/process-stats.ts";
import { Sidecar } from "../shared/sidecar.ts";
import { type ChangedKind, changedKinds } from "./orders.ts";
import { Probe } from "./probe.ts";
import type { ScaleWorld } from "./world.ts";

/** What a process does from a disturbance until it is quiet again. */
export interface PhaseCost {
  /** Until it was quiet. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Bytes: when it was quiet, and the most until then. */
  readonly rss: number;
  readonly peak: number;
  /** The longest that kubelet would have waited for an answer of its health endpoint. */
  readonly longestProbeMs: number;
  /** The longest time between two renewals of its lease. */
  readonly longestRenewalMs: number;
}

/** One process in a cluster of one size. */
export interface ScaleCost {
  readonly start: PhaseCost;
  readonly changes: ReadonlyMap<ChangedKind, PhaseCost>;
  readonly restart: PhaseCost;
}

/** Starts a process, changes `events` objects of each kind, and breaks all connections. */
export async function measureScale(world: ScaleWorld, subject: ControllerSubject, events: number): Promise<ScaleCost> {
  const endpoint = `127.0.0.1:${await freePort()}`;
  const user = world.newUser();
  const flags = withFlags(subject, `--http-endpoint=${endpoint}`, "--enable-node-watcher");
  const args = argumentsOf(flags, user.kubeconfig, world.driver.address, "default");
  await using sidecar = new Sidecar(world.bench, subject.name, subject.program, args);
  await using probe = new Probe(`http://${endpoint}/healthz/leader-election`);

  const measure = async (begin: () => Promise<unknown>, cpuBefore: number): Promise<PhaseCost> => {
    const since = Date.now();
    probe.takeLongest();
    await begin();
    const quietAt = await untilQuiet(sidecar);
    const { rss, peak } = sidecar.memory;
    const { longestGapMs } = await world.order({ leaseOf: user.name, since });
    return {
      ...{ seconds: (quietAt - since) / 1000, cpuSeconds: sidecar.cpuSeconds - cpuBefore, rss, peak },
      ...{ longestProbeMs: probe.takeLongest(), longestRenewalMs: longestGapMs },
    };
  };
  const disturb = (begin: () => Promise<unknown>) => {
    forgetPeak(sidecar.pid);
    return measure(begin, sidecar.cpuSeconds);
  };

  const before = (await world.driver.order({})).lists;
  // It leads and works when it has asked the driver for its volumes.
  const untilListed = () =>
    world.driver.until(
      ({ lists }) => lists > before,
      () => sidecar.check(),
    );
  const start = await measure(untilListed, 0);
  const changes = new Map<ChangedKind, PhaseCost>();
  for (const change of changedKinds) changes.set(change, await disturb(() => world.order({ change, events })));
  return { start, changes, restart: await disturb(() => world.order({ restart: true })) };
}

const sampleMs = 100;
const quietMs = 3_000;
/** The part of one CPU that a process without work stays below. */
const idlePart = 0.05;

/** Resolves with the time, in milliseconds since the epoch, of the last work before a pause. */
async function untilQuiet(sidecar: Sidecar): Promise<number> {
  const samples: { readonly at: number; readonly cpu: number }[] = [];
  for (let lastWork = Date.now(); ; ) {
    await sleep(sampleMs);
    sidecar.check();
    const [now, before] = [{ at: Date.now(), cpu: sidecar.cpuSeconds }, samples.at(-5)];
    samples.push(now);
    if (!before || now.cpu - before.cpu > ((now.at - before.at) / 1000) * idlePart) lastWork = now.at;
    if (now.at - lastWork > quietMs) return lastWork;
  }
}
