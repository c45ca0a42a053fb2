import { CSINode, mergePatch, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { inParallel } from "../shared/in-parallel.ts";
import type { ServerKind } from "../shared/server.ts";
import { startCountingServer } from "../shared/start-counting-server.ts";
import { attachedVolume, driverName, nodeCount, volumeHandle, volumeNode } from "../shared/volumes.ts";
import type { Workbench } from "../shared/workbench.ts";
import { type World, worldWith } from "../shared/world.ts";

/** An API server without controllers, nodes that have the driver, and the driver with `volumes` volumes. */
export async function startWorld(bench: Workbench, kind: ServerKind, users: number, volumes: number): Promise<World> {
  const server = await startCountingServer(bench, kind, { users, storageControllers: false });
  const world = await worldWith(bench, server, {
    watched: "volumeattachments",
    lease: `external-attacher-leader-${driverName}`,
    controller: ["PUBLISH_UNPUBLISH_VOLUME"],
  });
  const { driver, admin } = world;
  await inParallel(volumes, 20, (index) => driver.addVolume({ id: volumeHandle(index) }));
  await inParallel(nodeCount, 20, (index) => {
    const name = volumeNode(index);
    return admin.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys: [] }] } });
  });
  return world;
}

const parallelism = 50;

/** Where the volumes were provisioned: in the attacher's own process they get the attacher's finalizer at once. */
export type Provisioned = "in another process" | "in the same process";

/** Volumes as a provisioner creates them, not attached yet. */
export async function createVolumes({ admin }: World, count: number, provisioned: Provisioned): Promise<void> {
  await inParallel(count, parallelism, (index) => {
    const { volume } = attachedVolume(index);
    const finalizers = (volume.metadata?.finalizers ?? []).filter(
      (name) => provisioned === "in the same process" || !name.startsWith("external-attacher/"),
    );
    return admin.create(PersistentVolume, { ...volume, metadata: { ...volume.metadata, finalizers } });
  });
}

/** Attachments as the attach/detach controller creates them. */
export async function createAttachments({ admin }: World, count: number): Promise<void> {
  await inParallel(count, parallelism, (index) => {
    const { metadata, spec } = attachedVolume(index).attachment;
    return admin.create(VolumeAttachment, { metadata: { name: metadata?.name ?? "" }, spec });
  });
}

export async function deleteAttachments({ admin }: World, count: number): Promise<void> {
  await inParallel(count, parallelism, (index) =>
    admin.delete(VolumeAttachment, { name: attachedVolume(index).attachment.metadata?.name ?? "" }),
  );
}

/** Volumes that are attached already and need no work. */
export async function createAttached({ admin }: World, count: number): Promise<void> {
  await inParallel(count, parallelism, async (index) => {
    const { volume, attachment } = attachedVolume(index);
    const { name = "" } = attachment.metadata ?? {};
    await admin.create(PersistentVolume, volume);
    await admin.create(VolumeAttachment, attachment);
    await admin.patch(VolumeAttachment, { name }, mergePatch({ status: attachment.status }), { subresource: "status" });
  });
}

/** Removes volumes, whatever finalizers they still have. */
export async function removeVolumes({ admin }: World, count: number): Promise<void> {
  await inParallel(count, parallelism, async (index) => {
    const name = attachedVolume(index).volume.metadata?.name ?? "";
    await admin.patch(PersistentVolume, { name }, mergePatch({ metadata: { finalizers: null } }));
    await admin.delete(PersistentVolume, { name });
  });
}
