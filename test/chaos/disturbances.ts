import { systemClock } from "@csi-sidecars/base";
import type { Relay } from "@csi-sidecars/testcluster";
import type { World } from "../e2e/testing/world.ts";
import type { ChaosSize, Killable } from "./chaos.ts";

/** What is disturbed. */
export interface Disturbed {
  readonly world: World;
  /** The way of the process to the API server. */
  readonly api: Relay;
  readonly sidecar: Killable;
  /** Told of every outage of the API server. */
  readonly history: { outage(act: () => Promise<unknown>): Promise<void> };
  readonly random: () => number;
}

/** Kills the process, mostly while it calls the driver, and takes the API server away, at random times until the time is over. */
export async function disturb(
  { world, api, sidecar, history, random }: Disturbed,
  { spanMs, kills, cuts, cutMs }: Omit<ChaosSize, "claims"> & { readonly spanMs: number },
): Promise<void> {
  const begun = performance.now();
  const sleepUntil = (ms: number) => systemClock.sleep(Math.max(0, begun + ms - performance.now()));
  const { driver, cluster } = world;

  const kill = async () => {
    for (let i = 0; i < kills; i++) {
      await sleepUntil(((i + random()) / kills) * spanMs);
      const before = driver.calls().length;
      await driver.until("a call", () => driver.calls().length > before, 1_500).catch(() => {});
      await systemClock.sleep(random() * 100);
      await sidecar.kill();
    }
  };
  const ways: readonly [begin: () => unknown, end: () => unknown][] = [
    [() => api.close(), () => api.open()],
    [() => api.freeze(), () => api.thaw()],
    [() => cluster.stop("abrupt"), () => cluster.start()],
  ];
  const cut = async () => {
    for (let i = 0; i < cuts; i++) {
      await sleepUntil(((i + random() * 0.7) / cuts) * spanMs);
      const [begin, end] = ways[i % ways.length] ?? [() => {}, () => {}];
      await history.outage(async () => {
        await begin();
        await systemClock.sleep(cutMs);
        await end();
      });
    }
  };
  await Promise.all([kill(), cut()]);
}
