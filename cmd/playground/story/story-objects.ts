import {
  isNotFound,
  type KubeObject,
  type ObjectRef,
  PersistentVolumeClaim,
  Pod,
  type Resource,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import type { Parts } from "../start-parts.ts";

export const inDefault = (name: string) => ({ namespace: "default", name });

export const createClaim = ({ admin }: Parts, name: string, storageClassName: string) =>
  admin.create(PersistentVolumeClaim, {
    metadata: inDefault(name),
    spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });

/** A pod that uses a claim, on one of the nodes with the labels. */
export const createPod = ({ admin }: Parts, name: string, claimName: string, nodeSelector: Record<string, string> = {}) =>
  admin.create(Pod, {
    metadata: inDefault(name),
    spec: {
      nodeSelector,
      containers: [{ name: "app", image: "app" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  });

/** An object, if it is there. */
export async function present<T extends KubeObject>({ admin }: Parts, resource: Resource<T>, ref: ObjectRef): Promise<T | undefined> {
  return admin.get(resource, ref).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** The name of the volume that a claim is bound to. */
export async function boundVolume(parts: Parts, name: string): Promise<string | undefined> {
  const found = await present(parts, PersistentVolumeClaim, inDefault(name));
  return found?.status?.phase === "Bound" ? found.spec?.volumeName : undefined;
}

/** The node of a running pod. */
export async function runsOn(parts: Parts, name: string): Promise<string | undefined> {
  const pod = await present(parts, Pod, inDefault(name));
  return pod?.status?.phase === "Running" ? pod.spec?.nodeName : undefined;
}

/** Whether a volume is attached to a node, for Kubernetes and, where it can be asked, for the driver. */
export async function isAttached({ admin, driver }: Parts, volumeName: string, nodeName: string): Promise<boolean> {
  const { items } = await admin.list(VolumeAttachment);
  const attachment = items.find(({ spec }) => spec.source.persistentVolumeName === volumeName && spec.nodeName === nodeName);
  if (!attachment?.status?.attached) return false;
  if (!driver.hostpath) return true;
  const volume = (await driver.hostpath.control.volumes()).find(({ name }) => name === volumeName);
  return volume?.attachments.some(({ nodeId }) => nodeId === nodeName) ?? false;
}
