import { mergePatch, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttributesClass } from "@csi-sidecars/kube";
import type { DriverProcess } from "@csi-sidecars/testcluster";
import { inParallel } from "../shared/in-parallel.ts";
import { createPod } from "../shared/pods.ts";
import { createBound, createNamespaces } from "../shared/seed-volumes.ts";
import type { ServerKind } from "../shared/server.ts";
import { startCountingServer } from "../shared/start-counting-server.ts";
import { attachedVolume, driverName, volumeHandle } from "../shared/volumes.ts";
import type { Workbench } from "../shared/workbench.ts";
import { startControllerDriver, type World, worldWith } from "../shared/world.ts";

/** A world whose claims can grow and change their class any number of times. */
export interface ResizeWorld extends World {
  /** The same driver, but nodes have to expand file systems. */
  readonly nodeExpanding: DriverProcess;
  /** A number that no measurement has had: a size in Gi, or a class. */
  nextStep(): number;
}

const controller = ["EXPAND_VOLUME", "MODIFY_VOLUME"] as const;
const parallelism = 50;

/** An API server without controllers, and drivers that know the first `volumes` volumes. */
export async function startWorld(bench: Workbench, kind: ServerKind, users: number, volumes: number): Promise<ResizeWorld> {
  const server = await startCountingServer(bench, kind, { users, storageControllers: false });
  const lease = `external-resizer-${driverName}`;
  const world = await worldWith(bench, server, { watched: "persistentvolumeclaims", lease, controller });
  const nodeExpanding = await startControllerDriver(bench, { controller, node: ["EXPAND_VOLUME"] });
  for (const driver of [world.driver, nodeExpanding])
    await inParallel(volumes, 20, (index) => driver.addVolume({ id: volumeHandle(index) }));
  const { storageClassName: name } = attachedVolume(0).claim.spec ?? {};
  await world.admin.create(StorageClass, { metadata: { name }, provisioner: driverName, allowVolumeExpansion: true });
  await createNamespaces(world.admin);
  // Larger than every volume is at first.
  let step = 4;
  return { ...world, nodeExpanding, nextStep: () => ++step };
}

/** Bound claims with the numbers `from` to `to` - 1. */
export async function createClaims({ admin }: World, from: number, to: number): Promise<void> {
  await inParallel(to - from, parallelism, (index) => createBound(admin, from + index));
}

/** Running pods that use the claims from the number `firstClaim` on. */
export async function createPods({ admin }: World, count: number, firstClaim: number): Promise<void> {
  await inParallel(count, parallelism, (index) => createPod(admin, firstClaim + index));
}

/** Asks for another size, as users do. */
export async function requestSize({ admin }: World, count: number, storage: string): Promise<void> {
  const patch = mergePatch({ spec: { resources: { requests: { storage } } } });
  await inParallel(count, parallelism, (index) => admin.patch(PersistentVolumeClaim, claimNumber(index), patch));
}

/** Asks for another class, as users do. */
export async function requestClass({ admin }: World, count: number, volumeAttributesClassName: string): Promise<void> {
  const patch = mergePatch({ spec: { volumeAttributesClassName } });
  await inParallel(count, parallelism, (index) => admin.patch(PersistentVolumeClaim, claimNumber(index), patch));
}

export async function createClass({ admin }: World, name: string): Promise<void> {
  await admin.create(VolumeAttributesClass, { metadata: { name }, driverName, parameters: { iops: "3000", throughput: "125" } });
}

/** What kubelet and a resizer do when the node has expanded the file systems. */
export async function finishOnNodes({ admin }: World, count: number, storage: string): Promise<void> {
  const status = { capacity: { storage }, allocatedResourceStatuses: null, conditions: null };
  const annotations = { "volume.alpha.kubernetes.io/pre-resize-capacity": null };
  await inParallel(count, parallelism, async (index) => {
    const { name = "" } = attachedVolume(index).volume.metadata ?? {};
    await admin.patch(PersistentVolumeClaim, claimNumber(index), mergePatch({ status }), { subresource: "status" });
    await admin.patch(PersistentVolume, { name }, mergePatch({ metadata: { annotations } }));
  });
}

function claimNumber(index: number) {
  const { name = "", namespace } = attachedVolume(index).claim.metadata ?? {};
  return { name, namespace };
}
