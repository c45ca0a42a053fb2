import { mkdir, readlink, rmdir, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { Code, type DriverClient, GrpcError } from "@csi-sidecars/csi";
import { type Client, Pod } from "@csi-sidecars/kube";
import type { NodeHooks } from "@csi-sidecars/testcluster";
import { podFolder, podVolumes } from "./pod-volumes.ts";

export interface MountPlan {
  readonly driver: DriverClient;
  readonly driverName: string;
  /** The volumes of pods are mounted below it. */
  readonly folder: string;
}

const timeoutMs = 10_000;

/** What a kubelet does with a driver's node service: volumes are staged and published before a pod runs, unpublished and unstaged after it. */
export function mountPods(admin: Client, { driver: { node }, driverName, folder }: MountPlan): NodeHooks {
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
