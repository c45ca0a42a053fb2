import { type Backend, commitWith, saveVolume, volumeById } from "../backend.ts";
import { type PendingPolicy, volumeLock } from "../locks.ts";
import { quantityBytes } from "../quantity.ts";
import type { Features, Settings } from "../settings.ts";
import type { Latency, ReadyAfter } from "./scripted.ts";
import { seed } from "./seed.ts";

/** What a test can do to the storage behind the driver's back. */
export type Script = ReturnType<typeof scriptOf>;

/** The script of a driver; `change` replaces settings while it runs. */
export function scriptOf(backend: Backend, change: (settings: Partial<Settings>) => void) {
  const { scripted, locks } = backend;
  const onVolume = (id: string, work: () => Promise<void>) => locks.run([volumeLock(id)], work);
  return {
    volume: {
      /** Replaces what the health checks find. */
      condition(id: string, abnormal: boolean, message: string): void {
        scripted.conditions.set(id, { abnormal, message });
      },
      /** An attachment disappears without a call. */
      detachExternally: (id: string, nodeId: string) =>
        onVolume(id, async () => {
          const volume = volumeById(backend, id);
          await saveVolume(backend, { ...volume, attachments: volume.attachments.filter((attachment) => attachment.nodeId !== nodeId) });
        }),
      /** An attachment appears without a call. */
      attachExternally: (id: string, nodeId: string, readOnly = false) =>
        onVolume(id, async () => {
          const volume = volumeById(backend, id);
          const others = volume.attachments.filter((attachment) => attachment.nodeId !== nodeId);
          await saveVolume(backend, { ...volume, attachments: [...others, { nodeId, readOnly, capability: "" }] });
        }),
      /** A volume disappears without a call. */
      deleteExternally: (id: string) =>
        onVolume(id, async () => {
          const volume = volumeById(backend, id);
          await commitWith(backend, [await backend.data.remove(volume.path)], [{ remove: "volume", id }]);
        }),
    },
    capacity: {
      /** Sets the size of a pool: bytes, or a Kubernetes quantity. */
      set(kind: string, quantity: string | bigint): void {
        const bytes = typeof quantity === "bigint" ? quantity : quantityBytes(quantity);
        change({ capacity: { ...backend.settings.capacity, [kind]: bytes } });
      },
    },
    probe: { notReady: (after: ReadyAfter): void => scripted.probeNotReady(after) },
    snapshot: {
      /** Snapshots cut from now on are ready later; undefined: at once. */
      readyAfter(after: ReadyAfter | undefined): void {
        scripted.snapshotReadyAfter = after;
      },
    },
    groupSnapshot: {
      readyAfter(after: ReadyAfter | undefined): void {
        scripted.groupReadyAfter = after;
      },
    },
    capabilities: { set: (features: Partial<Features>): void => change(features) },
    node: { limit: (limit: bigint): void => change({ attachLimit: limit }) },
    pendingPolicy(policy: PendingPolicy): void {
      locks.policy = policy;
    },
    backend: {
      /** How long each call of a method takes. */
      latency(latencies: Readonly<Record<string, Latency>>): void {
        for (const [method, latency] of Object.entries(latencies)) scripted.latency.set(method, latency);
      },
      /** Makes volumes and snapshots without calls. */
      seed: (volumes: number, snapshots: number) => seed(backend, volumes, snapshots),
    },
  };
}
