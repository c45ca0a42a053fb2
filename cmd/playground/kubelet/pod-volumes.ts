import { join } from "node:path";
import { chooseAccessMode, type VolumeCapability } from "@csi-sidecars/csi";
import { type Client, ignoreNotFound, PersistentVolume, PersistentVolumeClaim, type V1PersistentVolume } from "@csi-sidecars/kube";
import type { NodeHooks } from "@csi-sidecars/testcluster";

/** A pod as the kubelet hooks get it. */
export type KubeletPod = Parameters<NonNullable<NodeHooks["mount"]>>[0];

/** A volume of a pod, and where it is mounted. */
export interface PodVolume {
  readonly claimName: string;
  readonly volumeId: string;
  readonly volumeContext: Readonly<Record<string, string>>;
  readonly volumeCapability: VolumeCapability;
  readonly readonly: boolean;
  readonly stagingTargetPath: string;
  readonly targetPath: string;
}

/** Where the volumes of a pod are mounted, each under its name in the pod. */
export const podFolder = (folder: string, { namespace = "", name }: { readonly namespace?: string; readonly name: string }) =>
  join(folder, namespace, name);

/** The volumes of a pod that belong to the driver, without those that are not bound or no longer exist. */
export async function podVolumes(admin: Client, driverName: string, folder: string, pod: KubeletPod): Promise<readonly PodVolume[]> {
  const { namespace } = pod.metadata;
  const found = (pod.spec?.volumes ?? []).map(async ({ name: volumeName, persistentVolumeClaim }): Promise<readonly PodVolume[]> => {
    if (!persistentVolumeClaim) return [];
    const { claimName, readOnly = false } = persistentVolumeClaim;
    const claim = await ignoreNotFound(admin.get(PersistentVolumeClaim, { namespace, name: claimName }));
    const name = claim?.spec?.volumeName;
    const volume = name === undefined ? undefined : await ignoreNotFound(admin.get(PersistentVolume, { name }));
    const csi = volume?.spec?.csi;
    if (!volume || name === undefined || csi?.driver !== driverName) return [];
    return [
      {
        claimName,
        volumeId: csi.volumeHandle,
        volumeContext: csi.volumeAttributes ?? {},
        volumeCapability: capabilityOf(volume),
        readonly: readOnly,
        stagingTargetPath: join(folder, ".staged", name),
        targetPath: join(podFolder(folder, pod.metadata), volumeName),
      },
    ];
  });
  return (await Promise.all(found)).flat();
}

function capabilityOf({ spec }: V1PersistentVolume): VolumeCapability {
  const { mode, error } = chooseAccessMode(spec?.accessModes ?? [], { singleNodeMultiWriter: true });
  if (error !== undefined) throw new Error(error);
  const accessType =
    spec?.volumeMode === "Block"
      ? ({ $case: "block", block: {} } as const)
      : ({
          $case: "mount",
          mount: { fsType: spec?.csi?.fsType ?? "", mountFlags: spec?.mountOptions ?? [], volumeMountGroup: "" },
        } as const);
  return { accessType, accessMode: { mode } };
}
