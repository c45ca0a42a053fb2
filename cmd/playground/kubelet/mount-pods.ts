import { mkdir, readlink, rmdir, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { bytesOf } from "@csi-sidecars/base";
import { Code, type DriverClient, GrpcError } from "@csi-sidecars/csi";
import { type Client, Pod } from "@csi-sidecars/kube";
import { failureOfCall, type NodeHooks } from "@csi-sidecars/testcluster";
import { podFolder, podVolumes } from "./pod-volumes.ts";

export interface MountPlan {
  readonly driver: DriverClient;
  readonly driverName: string;
  /** Whether it has NodeExpandVolume. */
  readonly expandsOnNodes: boolean;
  /** The volumes of pods are mounted below it. */
  readonly folder: string;
}

const timeoutMs = 10_000;

/**
 * What a kubelet does with a driver's node service: volumes are staged and published before a pod runs, expanded while it runs, and
 * unpublished and unstaged after it.
 */
export function mountPods(admin: Client, { driver: { node }, driverName, expandsOnNodes, folder }: MountPlan): NodeHooks {
  return {
    async mount(pod, signal) {
      const options = { timeoutMs, signal };
      for (const { claimName: _, targetPath, readonly, ...volume } of await podVolumes(admin, driverName, folder, pod)) {
        await mkdir(volume.stagingTargetPath, { recursive: true });
        await mkdir(dirname(targetPath), { recursive: true });
        await removeLink(targetPath);
        await node.nodeStageVolume(volume, options);
        await node.nodePublishVolume({ ...volume, targetPath, readonly }, options);
      }
    },
    async expand({ pod, volume, size }, signal) {
      if (!expandsOnNodes) return { result: "unsupported", message: `NodeExpand is not supported by the CSI driver ${driverName}` };
      const mounted = await podVolumes(admin, driverName, folder, pod);
      const found = mounted.find(({ volumeId }) => volumeId === volume.spec?.csi?.volumeHandle);
      if (!found) return undefined;
      const { volumeId, targetPath: volumePath, stagingTargetPath, volumeCapability } = found;
      const capacityRange = { requiredBytes: bytesOf(size) };
      return node
        .nodeExpandVolume({ volumeId, volumePath, stagingTargetPath, volumeCapability, capacityRange }, { timeoutMs, signal })
        .then(() => undefined, failureOfCall);
    },
    async unmount(pod, signal) {
      const options = { timeoutMs, signal };
      for (const { claimName, volumeId, targetPath, stagingTargetPath } of await podVolumes(admin, driverName, folder, pod)) {
        await node.nodeUnpublishVolume({ volumeId, targetPath }, options).catch(ignoreAbsence);
        if (await isShared(admin, pod.metadata, claimName)) continue;
        await node.nodeUnstageVolume({ volumeId, stagingTargetPath }, options).catch(ignoreAbsence);
        await rmdir(stagingTargetPath).catch(() => {});
      }
      await rmdir(podFolder(folder, pod.metadata)).catch(() => {});
    },
  };
}

/** The volume of a force-deleted pod was not unpublished: its link is in the way of a pod with the same name. */
const removeLink = (path: string) =>
  readlink(path).then(
    () => unlink(path),
    () => {},
  );

/** Whether another pod uses the claim too: then its volume stays staged. */
async function isShared(
  admin: Client,
  { namespace, uid }: { readonly namespace?: string; readonly uid: string },
  claimName: string,
): Promise<boolean> {
  const { items } = await admin.list(Pod, { namespace });
  return items.some(
    ({ metadata, spec }) =>
      metadata?.uid !== uid && spec?.nodeName && spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === claimName),
  );
}

/** A volume that the driver does not know is not mounted. */
const ignoreAbsence = (error: unknown) => {
  if (!(error instanceof GrpcError) || error.code !== Code.NotFound) throw error;
};
