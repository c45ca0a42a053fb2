import { type Backend, commitWith, lifecycleViolation } from "../backend.ts";
import { volumeLock, volumeNameLock } from "../locks.ts";
import { requireFields } from "../refuse.ts";
import type { VolumeRecord } from "../state/records.ts";

/** DeleteVolume: a volume that is not there is deleted. Its snapshots stay. */
export async function deleteVolume(backend: Backend, { volumeId }: { readonly volumeId: string }) {
  requireFields({ volume_id: volumeId });
  const name = backend.state.volumes.get(volumeId)?.name;
  await backend.locks.run([volumeLock(volumeId), ...(name === undefined ? [] : [volumeNameLock(name)])], async () => {
    const volume = backend.state.volumes.get(volumeId);
    if (!volume) return;
    if (volume.attachments.length > 0 || volume.staged.length > 0 || volume.published.length > 0) {
      lifecycleViolation(backend, `volume ${volumeId} is still used (attached, staged or published)`);
    }
    await removeVolume(backend, volume);
  });
  return {};
}

/** Removes a volume and its data; the caller holds its lock. */
export async function removeVolume(backend: Backend, volume: VolumeRecord): Promise<void> {
  let left = volume;
  for (const { target } of volume.published) {
    await backend.mounter.unpublish(left, target);
    left = { ...left, published: left.published.filter((publication) => publication.target !== target) };
  }
  await backend.mounter.checkUnused(volume.path);
  await commitWith(backend, [await backend.data.remove(volume.path)], [{ remove: "volume", id: volume.id }]);
}
