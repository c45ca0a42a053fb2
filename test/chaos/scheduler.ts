import { systemClock } from "@csi-sidecars/base";
import { mergePatch, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { inDefault, isLate, nodeNames, patience, selectedNode } from "./claims.ts";

const pauseMs = 250;

/** Selects another node for every late claim that was given back because the driver had no room on the first. */
export class Scheduler implements AsyncDisposable {
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  /** How often a node was selected. */
  times = 0;

  constructor(cluster: Cluster) {
    this.#running = this.#run(cluster);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  async #run({ admin }: Cluster): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      const { items } = await admin.list(PersistentVolumeClaim, patience).catch(() => ({ items: [] }));
      for (const claim of items) {
        const { annotations, deletionTimestamp, name = "" } = claim.metadata ?? {};
        if (!isLate(claim) || claim.status?.phase !== "Pending" || annotations?.[selectedNode] || deletionTimestamp) continue;
        const select = mergePatch({ metadata: { annotations: { [selectedNode]: nodeNames[this.times % nodeNames.length] } } });
        // What fails is seen again.
        await admin.patch(PersistentVolumeClaim, inDefault(name), select, patience).then(
          () => this.times++,
          () => undefined,
        );
      }
      await systemClock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }
}
