import { join } from "node:path";
import { claimsOf } from "@csi-sidecars/controller";
import { type VolumeCapability, volumeCapability } from "@csi-sidecars/csi";
import {
  type Client,
  ignoreNotFound,
  PersistentVolume,
  PersistentVolumeClaim,
  readSecretText,
  type V1PersistentVolume,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import { attachmentName, type NodeHooks } from "@csi-sidecars/testcluster";
import type { DriverInfo } from "../driver/driver.ts";

/** A pod as the kubelet hooks get it. */
export type KubeletPod = Parameters<NonNullable<NodeHooks["mount"]>>[0];

type Strings = Readonly<Record<string, string>>;

/** A volume of a pod, and what a kubelet tells the driver about it. */
export interface PodVolume {
  /** Of the PersistentVolume. */
  readonly name: string;
  readonly volumeId: string;
  readonly volumeContext: Strings;
  readonly publishContext: Strings;
  readonly volumeCapability: VolumeCapability;
  readonly readonly: boolean;
  /** What the calls of these names are given. */
  readonly secrets: { readonly stage: Strings; readonly publish: Strings; readonly expand: Strings };
  readonly stagingTargetPath: string;
  readonly targetPath: string;
}

/** Where the volumes of a pod are mounted, each under its name in the pod. */
export const podFolder = (folder: string, { namespace = "", name }: { readonly namespace?: string; readonly name: string }) =>
  join(folder, namespace, name);

/** Where volumes are staged. */
export const stagingFolder = (folder: string) => join(folder, ".staged");

/** The volumes of a pod that belong to the driver, without those that are not bound or no longer exist. */
export async function podVolumes(admin: Client, driver: DriverInfo, folder: string, pod: KubeletPod): Promise<readonly PodVolume[]> {
  const found = (pod.spec?.volumes ?? []).map(async (volume): Promise<readonly PodVolume[]> => {
    const [used] = claimsOf({ metadata: pod.metadata, spec: { volumes: [volume] } });
    const [namespace, claimName = ""] = used?.key.split("/") ?? [];
    const claim = used && (await ignoreNotFound(admin.get(PersistentVolumeClaim, { namespace, name: claimName })));
    const name = claim?.spec?.volumeName;
    const bound = name === undefined ? undefined : await ignoreNotFound(admin.get(PersistentVolume, { name }));
    const csi = bound?.spec?.csi;
    if (!bound || name === undefined || csi?.driver !== driver.name) return [];
    const attachment = attachmentName(csi.volumeHandle, driver.name, pod.spec?.nodeName ?? "");
    const attached = driver.attaches ? await ignoreNotFound(admin.get(VolumeAttachment, { name: attachment })) : undefined;
    return [
      {
        name,
        volumeId: csi.volumeHandle,
        volumeContext: csi.volumeAttributes ?? {},
        publishContext: attached?.status?.attachmentMetadata ?? {},
        volumeCapability: capabilityOf(bound, driver),
        readonly: volume.persistentVolumeClaim?.readOnly ?? false,
        secrets: {
          stage: await secretOf(admin, csi.nodeStageSecretRef),
          publish: await secretOf(admin, csi.nodePublishSecretRef),
          expand: await secretOf(admin, csi.nodeExpandSecretRef),
        },
        stagingTargetPath: join(stagingFolder(folder), name),
        targetPath: join(podFolder(folder, pod.metadata), volume.name),
      },
    ];
  });
  return (await Promise.all(found)).flat();
}

function capabilityOf({ spec }: V1PersistentVolume, driver: DriverInfo): VolumeCapability {
  const { value, error } = volumeCapability(
    {
      accessModes: spec?.accessModes ?? [],
      mountOptions: spec?.mountOptions ?? [],
      block: spec?.volumeMode === "Block",
      fsType: spec?.csi?.fsType ?? "",
    },
    driver,
  );
  if (error !== undefined) throw new Error(error);
  return value;
}

/** A missing one is an error: the driver would be called without it. */
async function secretOf(admin: Client, ref: { readonly namespace?: string; readonly name?: string } | undefined): Promise<Strings> {
  if (!ref) return {};
  const { namespace, name = "" } = ref;
  return readSecretText(admin, { namespace, name }, {}, (reason) => `cannot read the secret ${namespace}/${name}: ${reason}`);
}
