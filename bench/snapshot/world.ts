import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  Lease,
  mergePatch,
  snapshotAnnotation,
  snapshotFinalizer,
  type V1VolumeSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { inParallel } from "../shared/in-parallel.ts";
import { createBound, createNamespaces } from "../shared/seed-volumes.ts";
import type { ServerKind } from "../shared/server.ts";
import { startCountingServer } from "../shared/start-counting-server.ts";
import { attachedVolume, driverName, volumeHandle } from "../shared/volumes.ts";
import type { Workbench } from "../shared/workbench.ts";
import { type World, worldWith } from "../shared/world.ts";

/** A world whose volumes can be snapshotted any number of times. */
export interface SnapshotWorld extends World {
  /** A word that no measurement has had, for the names of its snapshots. */
  nextBatch(): string;
}

const parallelism = 50;
const className = "fast";

/** An API server without controllers, bound claims, and a driver that knows their volumes. */
export async function startWorld(bench: Workbench, kind: ServerKind, users: number, volumes: number): Promise<SnapshotWorld> {
  const server = await startCountingServer(bench, kind, { users, storageControllers: false });
  await installDefinitions(server.admin, snapshotDefinitions);
  const world = await worldWith(bench, server, {
    watched: "volumesnapshotcontents",
    lease: `external-snapshotter-leader-${driverName}`,
    controller: ["CREATE_DELETE_SNAPSHOT"],
  });
  await world.admin.create(Lease, { metadata: { namespace: "default", name: "snapshot-controller-leader" } });
  await inParallel(volumes, 20, (index) => world.driver.addVolume({ id: volumeHandle(index) }));
  await world.admin.create(VolumeSnapshotClass, { metadata: { name: className }, driver: driverName, deletionPolicy: "Delete" });
  await createNamespaces(world.admin);
  await inParallel(volumes, parallelism, (index) => createBound(world.admin, index));
  let batch = 0;
  return { ...world, nextBatch: () => `batch-${++batch}` };
}

/** Requests snapshots of claims, as users do. */
export async function requestSnapshots({ admin }: World, batch: string, count: number): Promise<void> {
  await inParallel(count, parallelism, (index) => {
    const { name, namespace } = attachedVolume(index).claim.metadata ?? {};
    const spec = { source: { persistentVolumeClaimName: name }, volumeSnapshotClassName: className };
    return admin.create(VolumeSnapshot, { metadata: { namespace, name: `${batch}-${index}` }, spec });
  });
}

export async function deleteSnapshots({ admin }: World, batch: string, count: number): Promise<void> {
  await inParallel(count, parallelism, (index) =>
    admin.delete(VolumeSnapshot, { name: `${batch}-${index}`, namespace: attachedVolume(index).claim.metadata?.namespace }),
  );
}

/** Creates contents as a snapshot-controller does. */
export async function createContents({ admin }: World, batch: string, count: number): Promise<void> {
  await inParallel(count, parallelism, (index) => admin.create(VolumeSnapshotContent, contentNumber(batch, index)));
}

/** Contents whose snapshots were taken long ago; their storage is not in the driver. */
export async function createTakenContents({ admin }: World, batch: string, count: number): Promise<void> {
  await inParallel(count, parallelism, async (index) => {
    const content = contentNumber(batch, index);
    await admin.create(VolumeSnapshotContent, content);
    const status = {
      snapshotHandle: `snapshot-${batch}-${index}`,
      readyToUse: true,
      creationTime: 1_754_000_000_000_000_000n,
      restoreSize: 2 ** 30,
    };
    await admin.patch(VolumeSnapshotContent, { name: content.metadata?.name ?? "" }, mergePatch({ status }), { subresource: "status" });
  });
}

/** Deletes contents as a snapshot-controller does: it marks them first. */
export async function deleteContents({ admin }: World, batch: string, count: number): Promise<void> {
  const mark = mergePatch({ metadata: { annotations: { [snapshotAnnotation.beingDeleted]: "yes" } } });
  await inParallel(count, parallelism, async (index) => {
    const name = contentNumber(batch, index).metadata?.name ?? "";
    await admin.patch(VolumeSnapshotContent, { name }, mark);
    await admin.delete(VolumeSnapshotContent, { name });
  });
}

function contentNumber(batch: string, index: number): V1VolumeSnapshotContent {
  const volume = attachedVolume(index);
  const uid = `${batch}-${index}`;
  return {
    metadata: { name: `snapcontent-${uid}`, finalizers: [snapshotFinalizer.content] },
    spec: {
      deletionPolicy: "Delete",
      driver: driverName,
      source: { volumeHandle: volumeHandle(index % 1_000) },
      sourceVolumeMode: "Filesystem",
      volumeSnapshotClassName: className,
      volumeSnapshotRef: { name: uid, namespace: volume.claim.metadata?.namespace ?? "", uid },
    },
  };
}
