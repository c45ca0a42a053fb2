import { bytesOf } from "@csi-sidecars/base";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Client } from "@csi-sidecars/kube";
import { failureOfCall, type NodeHooks } from "@csi-sidecars/testcluster";
import type { DriverInfo } from "../driver/driver.ts";
import type { MountRecords } from "./mount-records.ts";
import { callTimeoutMs, type NodeMounts } from "./node-mounts.ts";
import { podVolumes } from "./pod-volumes.ts";

export interface MountPlan {
  readonly driver: DriverClient;
  readonly info: DriverInfo;
  readonly records: MountRecords;
  readonly mounts: NodeMounts;
  /** The volumes of pods are mounted below it. */
  readonly folder: string;
  /** Why the volumes on a node are not mounted. */
  readonly because: (node: string) => string | undefined;
}

/**
 * What a kubelet does with a driver's node service: volumes are staged and published before a pod runs, expanded while it runs, and
 * unpublished and unstaged after it.
 */
export function mountPods(admin: Client, { driver, info, records, mounts, folder, because }: MountPlan): NodeHooks {
  const unmountAll = async (pod: string, signal: AbortSignal) => {
    for (const record of records.of(pod)) await mounts.unmount(record, signal);
  };
  return {
    whyNotMounted: ({ spec }) => because(spec?.nodeName ?? ""),
    async mount(pod, signal) {
      for (const volume of await podVolumes(admin, info, folder, pod)) await mounts.mount(pod, volume, signal);
    },
    async expand({ pod, volume, size }, signal) {
      if (because(pod.spec?.nodeName ?? "") !== undefined) return undefined;
      if (!info.expandsOnNodes) return { result: "unsupported", message: `NodeExpand is not supported by the CSI driver ${info.name}` };
      const mounted = await podVolumes(admin, info, folder, pod);
      const found = mounted.find(({ volumeId }) => volumeId === volume.spec?.csi?.volumeHandle);
      if (!found) return undefined;
      const { volumeId, targetPath: volumePath, stagingTargetPath, volumeCapability, secrets } = found;
      const capacityRange = { requiredBytes: bytesOf(size) };
      const request = { volumeId, volumePath, stagingTargetPath, volumeCapability, capacityRange, secrets: secrets.expand };
      return driver.node.nodeExpandVolume(request, { timeoutMs: callTimeoutMs, signal }).then(() => undefined, failureOfCall);
    },
    unmount: ({ metadata: { uid } }, signal) => unmountAll(uid, signal),
    cleanUp: unmountAll,
  };
}
