import { systemClock } from "@csi-sidecars/base";
import { mergePatch, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { inDefault, isLate, nodeNames, requestTimeout, selectedNode } from "./claims.ts";

const pauseMs = 250;

/** Selects a node for every late claim that was rescheduled because the driver had no space on the first. */
export class Scheduler implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** How often a node was selected. */
  selections = 0;

  constructor(cluster: Cluster) {
    this.#running = this.#run(cluster);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run({ admin }: Cluster): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { items } = await admin.list(PersistentVolumeClaim, requestTimeout).catch(() => ({ items: [] }));
      for (const claim of items) {
        const { annotations, deletionTimestamp, name = "" } = claim.metadata ?? {};
        if (!isLate(claim) || claim.status?.phase !== "Pending" || annotations?.[selectedNode] || deletionTimestamp) continue;
        const select = mergePatch({ metadata: { annotations: { [selectedNode]: nodeNames[this.selections % nodeNames.length] } } });
        // A failed patch is retried in the next round.
        await admin.patch(PersistentVolumeClaim, inDefault(name), select, requestTimeout).then(
          () => this.selections++,
          () => undefined,
        );
      }
      await systemClock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }
}
