import { chmod, chown, stat } from "node:fs/promises";
import {
  VolumeCapability_AccessMode_Mode as Mode,
  type NodePublishVolumeRequest,
  type NodeUnpublishVolumeRequest,
  type VolumeCapability,
} from "@csi-sidecars/csi";
import { type Backend, saveVolume, volumeById } from "../backend.ts";
import { removeVolume } from "../controller/delete-volume.ts";
import { capabilityName, checkAccessType, isSameCapability } from "../controller/volume-capabilities.ts";
import { volumeLock, volumeNameLock } from "../locks.ts";
import { refuse, requireFields } from "../refuse.ts";
import type { Publication, VolumeRecord } from "../state/records.ts";
import { createEphemeral, ephemeralName, isEphemeral } from "./ephemeral.ts";
import { checkHostPath } from "./stage.ts";

/** NodePublishVolume: mounts a volume at a path. An ephemeral volume is created here. */
export async function nodePublishVolume(backend: Backend, request: NodePublishVolumeRequest) {
  const { volumeId, targetPath: target, volumeCapability, readonly: readOnly } = request;
  requireFields({ volume_capability: volumeCapability, volume_id: volumeId, target_path: target });
  await checkHostPath(backend, "target_path", target);
  const capability = volumeCapability ? capabilityName(volumeCapability) : "";
  const ephemeral = isEphemeral(backend.settings, request);
  const locks = [volumeLock(volumeId), ...(ephemeral ? [volumeNameLock(ephemeralName(volumeId))] : [])];
  await backend.locks.run(locks, async () => {
    const publication = { target, readOnly, capability };
    if (!backend.state.volumes.get(volumeId) && ephemeral) {
      const volume = await createEphemeral(backend, request, publication);
      await mountAs(backend, volume, publication, request, () => removeVolume(backend, { ...volume, published: [] }));
      return;
    }
    const volume = volumeById(backend, volumeId);
    checkPublishable(volume, request, capability);
    const here = volume.published.some((known) => known.target === target);
    // Recorded first: whenever the process dies, NodeUnpublishVolume knows what it may have to unmount.
    if (!here) await saveVolume(backend, { ...volume, published: [...volume.published, publication], nodeId: backend.settings.nodeId });
    await mountAs(backend, volume, publication, request, async () => {
      if (!here) await saveVolume(backend, volume);
    });
  });
  return {};
}

async function mountAs(
  backend: Backend,
  volume: VolumeRecord,
  publication: Publication,
  { volumeCapability }: NodePublishVolumeRequest,
  rollback: () => Promise<void>,
): Promise<void> {
  try {
    await applyMountGroup(backend, volume, volumeCapability);
    await backend.mounter.publish(volume, publication);
  } catch (error) {
    await rollback().catch((also: unknown) => backend.log.error(also, "Cannot roll back a failed publication", { volume: volume.id }));
    throw error;
  }
}

function checkPublishable(volume: VolumeRecord, request: NodePublishVolumeRequest, capability: string): void {
  const { targetPath, stagingTargetPath, volumeCapability, readonly: readOnly } = request;
  const elsewhere = volume.published.some(({ target }) => target !== targetPath);
  if (elsewhere && volumeCapability?.accessMode?.mode === Mode.SINGLE_NODE_SINGLE_WRITER) {
    refuse("FailedPrecondition", "volume uses SINGLE_NODE_SINGLE_WRITER access mode and is already mounted at a different target path");
  }
  if (!volume.ephemeral) {
    if (volume.staged.length === 0) refuse("FailedPrecondition", `volume ${volume.id} must be staged before it is published`);
    if (!volume.staged.includes(stagingTargetPath)) {
      refuse(
        "InvalidArgument",
        `volume ${volume.id} is staged at ${volume.staged.join(", ")}, not at ${JSON.stringify(stagingTargetPath)}`,
      );
    }
  }
  checkAccessType(volume, volumeCapability, "publish");
  const here = volume.published.find(({ target }) => target === targetPath);
  if (here && here.readOnly !== readOnly) {
    refuse("AlreadyExists", `volume ${volume.id} is published at ${targetPath} with readonly=${here.readOnly}`);
  }
  if (here && !isSameCapability(here.capability, capability)) {
    refuse("AlreadyExists", `volume ${volume.id} is published at ${targetPath} as ${here.capability}`);
  }
}

/** NodeUnpublishVolume: unmounts a volume. An ephemeral volume is deleted here. */
export async function nodeUnpublishVolume(backend: Backend, { volumeId, targetPath }: NodeUnpublishVolumeRequest) {
  requireFields({ volume_id: volumeId, target_path: targetPath });
  const name = backend.state.volumes.get(volumeId)?.name;
  await backend.locks.run([volumeLock(volumeId), ...(name === undefined ? [] : [volumeNameLock(name)])], async () => {
    const volume = volumeById(backend, volumeId);
    if (!volume.published.some(({ target }) => target === targetPath)) return;
    await backend.mounter.unpublish(volume, targetPath);
    const published = volume.published.filter(({ target }) => target !== targetPath);
    const left = { ...volume, published, nodeId: published.length > 0 ? volume.nodeId : "" };
    if (volume.ephemeral) await removeVolume(backend, left);
    else await saveVolume(backend, left);
  });
  return {};
}

/** Changes the group of a volume to the pod's fsGroup (VOLUME_MOUNT_GROUP). */
async function applyMountGroup(backend: Backend, { path }: VolumeRecord, capability: VolumeCapability | undefined): Promise<void> {
  const mount = capability?.accessType?.$case === "mount" ? capability.accessType.mount : undefined;
  if (!backend.settings.volumeMountGroup || !mount?.volumeMountGroup || backend.mounter.mode !== "bind") return;
  const group = Number(mount.volumeMountGroup);
  if (!/^\d{1,9}$/.test(mount.volumeMountGroup)) refuse("InvalidArgument", `volume_mount_group ${mount.volumeMountGroup} is no group id`);
  await chown(path, (await stat(path)).uid, group);
  await chmod(path, 0o2777);
}
