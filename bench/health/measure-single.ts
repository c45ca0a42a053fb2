import { setTimeout as sleep } from "node:timers/promises";
import { type ControllerSubject, withFlags } from "../shared/controller-subject.ts";
import { startSubject } from "../shared/started-subject.ts";
import { freeLeases } from "../shared/world.ts";
import { openWindow } from "./window.ts";
import type { HealthWorld } from "./world.ts";

/** What it costs to ask for volumes one by one, over one `--monitor-interval`. */
export interface SingleCost {
  readonly calls: number;
  /** How many volumes were asked for. */
  readonly volumes: number;
  /** The most calls at the same time. */
  readonly mostAtOnce: number;
  readonly cpuMs: number;
  readonly requests: number;
  /** RSS at the end, in bytes. */
  readonly bytes: number;
}

/** Has a subject ask for each volume, with a driver that lists none. The second interval is measured. */
export async function measureSingle(world: HealthWorld, subject: ControllerSubject, intervalSeconds: number): Promise<SingleCost> {
  await freeLeases(world);
  const { notListing: driver } = world;
  const flags = `--monitor-interval=${intervalSeconds}s`;
  await using started = await startSubject({ ...world, driver }, withFlags(subject, flags), "default", "busy");
  await sleep(intervalSeconds * 1_000);
  const endWindow = await openWindow(world, started);
  const before = await driver.order({ restart: true });
  await sleep(intervalSeconds * 1_000);
  const after = await driver.order({});
  const { cpuMs, requests, events } = await endWindow();
  return {
    calls: after.getCalls - before.getCalls,
    volumes: after.gotVolumes,
    mostAtOnce: after.mostAtOnce,
    ...{ cpuMs, requests: requests + events, bytes: started.sidecar.memory.rss },
  };
}
