import { until } from "@csi-sidecars/base/testing";
import type { TestedComponent } from "./tested-component.ts";

/** As often as informers can: a shorter period counts as a second. */
export const shortestResync = { resyncPeriod: 1_000 };

/**
 * Waits for resyncs of a component. They show only in the number of keys that they enqueue: something must ask for work that is not to be done
 * yet, and nothing else may.
 */
export async function untilResynced({ metrics }: Pick<TestedComponent, "metrics">, queue: string): Promise<void> {
  const adds = async () => {
    const samples = (await metrics()).split("\n");
    return Number(
      samples
        .find((line) => line.startsWith(`workqueue_adds_total{name="${queue}"`))
        ?.split(" ")
        .at(-1),
    );
  };
  const before = await adds();
  // What was still to be enqueued when this began are two keys at most.
  await until("a resync", async () => (await adds()) >= before + 3);
}
