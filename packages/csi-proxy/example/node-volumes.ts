import { type CsiProxy, CsiProxyError } from "@csi-sidecars/csi-proxy";

/** Windows' error code for a path at which nothing is mounted. */
const notAReparsePoint = 4390;

/** What a node driver does for volumes on disks. Every call may be repeated, as kubelet does. */
export class NodeVolumes {
  readonly #proxy: CsiProxy;

  constructor(proxy: CsiProxy) {
    this.#proxy = proxy;
  }

  /** NodeStageVolume: mounts the volume of an attached disk, which is formatted the first time. */
  async stage(page83: string, stagingPath: string): Promise<void> {
    const { disk, volume, filesystem } = this.#proxy;
    await filesystem.mkdir({ path: stagingPath });
    if (await this.#volumeAt(stagingPath)) return;

    const diskNumber = await this.#diskNumber(page83);
    if (diskNumber === undefined) throw new Error(`disk ${page83} is not attached`);
    await disk.partitionDisk({ diskNumber });
    await disk.setDiskState({ diskNumber, isOnline: true });

    const [volumeId] = (await volume.listVolumesOnDisk({ diskNumber })).volumeIds;
    if (volumeId === undefined) throw new Error(`disk ${diskNumber} has no volume`);
    const { formatted } = await volume.isVolumeFormatted({ volumeId });
    if (!formatted) await volume.formatVolume({ volumeId });
    await volume.mountVolume({ volumeId, targetPath: stagingPath });
  }

  /** NodePublishVolume: kubelet may have made a directory where the link must be. */
  async publish(stagingPath: string, podPath: string): Promise<void> {
    await this.#proxy.filesystem.rmdir({ path: podPath, force: true });
    await this.#proxy.filesystem.createSymlink({ sourcePath: stagingPath, targetPath: podPath });
  }

  /** NodeExpandVolume: after the disk has grown. Returns the new size. */
  async expand(stagingPath: string): Promise<bigint> {
    const { disk, volume } = this.#proxy;
    await disk.rescan();
    const volumeId = await this.#volumeAt(stagingPath);
    if (volumeId === undefined) throw new Error(`nothing is mounted at ${stagingPath}`);
    await volume.resizeVolume({ volumeId, sizeBytes: 0n });
    return (await volume.getVolumeStats({ volumeId })).totalBytes;
  }

  /** NodeUnpublishVolume: removes the link, never what it leads to. */
  async unpublish(podPath: string): Promise<void> {
    await this.#proxy.filesystem.rmdir({ path: podPath, force: true });
  }

  /** NodeUnstageVolume: afterwards the disk may be detached. It is found by its id: a call that is repeated may find no volume at the path. */
  async unstage(page83: string, stagingPath: string): Promise<void> {
    const { disk, volume, filesystem } = this.#proxy;
    const volumeId = await this.#volumeAt(stagingPath);
    if (volumeId !== undefined) await volume.unmountVolume({ volumeId, targetPath: stagingPath });
    await filesystem.rmdir({ path: stagingPath, force: true });
    const diskNumber = await this.#diskNumber(page83);
    if (diskNumber !== undefined) await disk.setDiskState({ diskNumber, isOnline: false });
  }

  /** The number that Windows has given to a disk, if it is attached. */
  async #diskNumber(page83: string): Promise<number | undefined> {
    const { diskIds } = await this.#proxy.disk.listDiskIds();
    return [...diskIds.keys()].find((number) => diskIds.get(number)?.page83 === page83);
  }

  /** The volume that is mounted at a path, if there is one. A path that cannot be looked at is no answer, and fails the call. */
  async #volumeAt(targetPath: string): Promise<string | undefined> {
    try {
      return (await this.#proxy.volume.getVolumeIdFromTargetPath({ targetPath })).volumeId;
    } catch (error) {
      const isNotMounted = error instanceof CsiProxyError && (error.code === "NotFound" || error.win32 === notAReparsePoint);
      if (isNotMounted) return undefined;
      throw error;
    }
  }
}
