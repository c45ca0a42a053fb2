import { type Backend, commitWith, saveVolume, volumeById } from "../backend.ts";
import { inherited } from "../controller/snapshots.ts";
import { type PendingPolicy, volumeLock } from "../locks.ts";
import { quantityBytes } from "../parse-values.ts";
import type { Features, Settings } from "../settings.ts";
import { type Change, type SnapshotRecord, timestampOf, unusedVolume, type VolumeRecord } from "../state/records.ts";
import type { Latency, ReadyAfter } from "./scripted.ts";

/** Changes of the storage that happen without a CSI call. */
export type Script = ReturnType<typeof scriptOf>;

/** The script of a driver; `change` replaces settings while it runs. */
export function scriptOf(backend: Backend, change: (settings: Partial<Settings>) => void) {
  const { scripted, conditions, locks } = backend;
  const onVolume = (id: string, work: () => Promise<void>) => locks.run([volumeLock(id)], work);
  return {
    volume: {
      /** Replaces what the health checks find of a volume, named by its id or its name, or of all volumes (`*`). */
      condition(volume: string, abnormal: boolean, message: string): void {
        conditions.set({ volume, condition: { abnormal, message } });
      },
      /** Takes that back. */
      resetCondition: (volume: string): void => conditions.delete(volume),
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

const size = 1n << 30n;
const batchSize = 500;

/** Makes volumes, and snapshots spread over them, for tests of scale. */
async function seed(backend: Backend, volumes: number, snapshots: number): Promise<void> {
  const ids: string[] = [];
  for (let from = 0; from < volumes; from += batchSize) {
    const records = Array.from({ length: Math.min(batchSize, volumes - from) }, (_, index) => volume(backend, `seeded-${from + index}`));
    const moves = await Promise.all(records.map((record) => backend.data.createVolume(record, { kind: "empty" })));
    const changes = records.map((record): Change => ({ put: "volume", record }));
    await commitWith(backend, moves, changes);
    ids.push(...records.map(({ id }) => id));
  }
  const creationTime = timestampOf(backend.clock.now());
  for (let index = 0; index < snapshots; index++) {
    const source = backend.state.volumes.get(ids[index % ids.length] ?? "");
    if (!source) return;
    const id = backend.newId();
    const path = backend.data.snapshotPath(id);
    const facts = { ...inherited(source), creationTime, readyToUse: true, groupId: "" };
    const record: SnapshotRecord = { id, path, name: `seeded-snapshot-${index}`, ...facts };
    const move = await backend.data.createSnapshot(record, source, { ignoreFailedRead: false });
    await commitWith(backend, [move], [{ put: "snapshot", record }]);
  }
}

function volume(backend: Backend, name: string): VolumeRecord {
  const id = backend.newId();
  return {
    ...unusedVolume,
    id,
    name,
    size,
    path: backend.data.volumePath(id),
    accessType: "mount",
  };
}
