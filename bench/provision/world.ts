import { PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { inParallel } from "../shared/in-parallel.ts";
import type { ServerKind } from "../shared/server.ts";
import { startCountingServer } from "../shared/start-counting-server.ts";
import { driverName } from "../shared/volumes.ts";
import type { Workbench } from "../shared/workbench.ts";
import { type World, worldWith } from "../shared/world.ts";

/** The StorageClass of all claims. */
export const className = "fast";

/** A cluster with binder and protection, a driver that attaches too, as most do, and a class that binds at once. */
export async function startWorld(bench: Workbench, kind: ServerKind, users: number): Promise<World> {
  const server = await startCountingServer(bench, kind, { users, storageControllers: true });
  const world = await worldWith(bench, server, {
    watched: "volumeattachments",
    lease: driverName,
    controller: ["CREATE_DELETE_VOLUME", "PUBLISH_UNPUBLISH_VOLUME"],
  });
  await world.admin.create(StorageClass, {
    metadata: { name: className },
    ...{ provisioner: driverName, reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
  });
  return world;
}

const parallelism = 50;
const namespace = "default";
const nameOf = (prefix: string, index: number) => `${prefix}-${index}`;

/** Claims as users create them; the cluster and the subject do the rest. */
export async function createClaims({ admin }: World, prefix: string, count: number): Promise<void> {
  await inParallel(count, parallelism, (index) =>
    admin.create(PersistentVolumeClaim, {
      metadata: { namespace, name: nameOf(prefix, index) },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: className },
    }),
  );
}

export async function deleteClaims({ admin }: World, prefix: string, count: number): Promise<void> {
  await inParallel(count, parallelism, (index) => admin.delete(PersistentVolumeClaim, { namespace, name: nameOf(prefix, index) }));
}
