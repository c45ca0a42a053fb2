import {
  Event,
  ignoreNotFound,
  type KubeObject,
  type ObjectRef,
  PersistentVolumeClaim,
  Pod,
  type Resource,
  type V1PersistentVolumeClaim,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import type { Playground } from "../playground.ts";

/** The StorageClass of the demo's claims. */
export const demoClass = "demo";

/** One step of the demo: an action, and a check of its effect. */
export interface Step {
  readonly title: string;
  act(signal: AbortSignal): Promise<unknown>;
  /** What is waited for. */
  readonly expected: string;
  /** The result in words; `undefined` as long as the effect is missing. */
  check(): Promise<string | undefined>;
}

export const inDefault = (name: string) => ({ namespace: "default", name });

/** A claim of 1Gi, unless `more` says otherwise. */
export const createClaim = (
  { admin }: Playground,
  name: string,
  storageClassName: string,
  more: Partial<NonNullable<V1PersistentVolumeClaim["spec"]>> = {},
) =>
  admin.create(PersistentVolumeClaim, {
    metadata: inDefault(name),
    spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...more },
  });

/** A pod that uses a claim, on one of the nodes with the labels. */
export const createPod = ({ admin }: Playground, name: string, claimName: string, nodeSelector: Record<string, string> = {}) =>
  admin.create(Pod, {
    metadata: inDefault(name),
    spec: {
      nodeSelector,
      containers: [{ name: "app", image: "app" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  });

/** An object, if it exists. */
export function present<T extends KubeObject>({ admin }: Playground, resource: Resource<T>, ref: ObjectRef): Promise<T | undefined> {
  return ignoreNotFound(admin.get(resource, ref));
}

/** The message of the last event about a claim with that reason. */
export async function eventAbout({ admin }: Playground, claimName: string, wanted: string): Promise<string | undefined> {
  const { items } = await admin.list(Event, { namespace: "default" });
  return items.findLast(({ reason, involvedObject }) => reason === wanted && involvedObject.name === claimName)?.message;
}

/** The name of the volume that a claim is bound to. */
export async function boundVolume(playground: Playground, name: string): Promise<string | undefined> {
  const found = await present(playground, PersistentVolumeClaim, inDefault(name));
  return found?.status?.phase === "Bound" ? found.spec?.volumeName : undefined;
}

/** The node that a running pod is on. */
export async function runsOn(playground: Playground, name: string): Promise<string | undefined> {
  const pod = await present(playground, Pod, inDefault(name));
  return pod?.status?.phase === "Running" ? pod.spec?.nodeName : undefined;
}

/** Whether a volume is attached to a node according to Kubernetes and, if the driver is ours, the driver. */
export async function isAttached({ admin, driver }: Playground, volumeName: string, nodeName: string): Promise<boolean> {
  const { items } = await admin.list(VolumeAttachment);
  const attachment = items.find(({ spec }) => spec.source.persistentVolumeName === volumeName && spec.nodeName === nodeName);
  if (!attachment?.status?.attached) return false;
  if (!driver.hostpath) return true;
  const volume = (await driver.hostpath.control.volumes()).find(({ name }) => name === volumeName);
  return volume?.attachments.some(({ nodeId }) => nodeId === nodeName) ?? false;
}
