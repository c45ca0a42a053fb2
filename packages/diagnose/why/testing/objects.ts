import type {
  V1CSINode,
  V1Event,
  V1Lease,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1StorageClass,
  V1VolumeAttachment,
} from "@csi-sidecars/kube";
import { found, missing } from "../../access/read-cluster.ts";
import type { ObservedAttachment, ObservedClaim, ObservedDriver, ObservedNode, ObservedVolume } from "../gather/observed.ts";
import { reportOn, responsibleFor } from "./sidecars.ts";

/** A driver, a moment and objects around one claim `default/data`, each changed as told. */
export const driver = "csi.example.com";
export const now = Date.parse("2026-03-01T12:00:00Z");
/** A time so many minutes before {@link now}. */
export const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

type Meta = V1PersistentVolumeClaim["metadata"];
type ClaimSpec = NonNullable<V1PersistentVolumeClaim["spec"]>;
type ClaimStatus = NonNullable<V1PersistentVolumeClaim["status"]>;

export const asked = { "volume.kubernetes.io/storage-provisioner": driver };
export const onNode = { ...asked, "volume.kubernetes.io/selected-node": "n1" };

export function claim(spec: Partial<ClaimSpec> = {}, status: Partial<ClaimStatus> = {}, metadata: Meta = {}): V1PersistentVolumeClaim {
  return {
    metadata: { name: "data", namespace: "default", uid: "claim-uid", creationTimestamp: ago(10), annotations: asked, ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast", ...spec },
    status: { phase: "Pending", ...status },
  };
}

export const bound = (spec: Partial<ClaimSpec> = {}, status: Partial<ClaimStatus> = {}, metadata: Meta = {}) =>
  claim({ volumeName: "pv-1", ...spec }, { phase: "Bound", capacity: { storage: "1Gi" }, ...status }, metadata);

export const storageClass = (parts: Partial<V1StorageClass> = {}): V1StorageClass => ({
  metadata: { name: "fast" },
  provisioner: driver,
  ...parts,
});
export const late = storageClass({ volumeBindingMode: "WaitForFirstConsumer" });

export function volume(
  spec: Partial<NonNullable<V1PersistentVolume["spec"]>> = {},
  status: V1PersistentVolume["status"] = { phase: "Available" },
  metadata: Meta = {},
): V1PersistentVolume {
  return {
    metadata: { name: "pv-1", uid: "volume-uid", ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "fast",
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver, volumeHandle: "handle-1" },
      ...spec,
    },
    status,
  };
}

export const pod = (spec: Partial<NonNullable<V1Pod["spec"]>> = {}, status: V1Pod["status"] = { phase: "Pending" }): V1Pod => ({
  metadata: { name: "app", namespace: "default", uid: "pod-uid" },
  spec: { containers: [], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }], ...spec },
  status,
});

export const attachment = (status: V1VolumeAttachment["status"], metadata: Meta = {}): V1VolumeAttachment => ({
  metadata: { name: "va", uid: "va-uid", creationTimestamp: ago(3), ...metadata },
  spec: { attacher: driver, nodeName: "n1", source: { persistentVolumeName: "pv-1" } },
  ...(status && { status }),
});

export const event = (kind: string, reason: string, message: string, minutes = 1, component = `${driver}_host_uuid`): V1Event => ({
  metadata: { name: `${reason}-${minutes}`, namespace: "default" },
  involvedObject: {
    kind,
    name: kind === "PersistentVolume" ? "pv-1" : "data",
    ...(kind !== "PersistentVolume" && { namespace: "default" }),
  },
  reason,
  message,
  count: 3,
  firstTimestamp: ago(minutes + 5),
  lastTimestamp: ago(minutes),
  source: { component },
});

export const lease = (name: string, renewedMinutes: number, holder = "host-1", annotations: Record<string, string> = {}): V1Lease => ({
  metadata: { name, namespace: "storage", annotations },
  spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: ago(renewedMinutes) },
});

const leading = lease("csi-sidecars-csi-example-com", 0.1, "host-1", {
  "csi-sidecars.storage.k8s.io/controllers": "attacher,provisioner,resizer",
});

/** A driver that is installed and led. */
export const installed = (parts: Partial<ObservedDriver> = {}): ObservedDriver => ({
  name: driver,
  csiDriver: found({ metadata: { name: driver }, spec: {} }),
  leases: found([leading]),
  ...parts,
});

const node: V1Node = { metadata: { name: "n1", labels: { zone: "a" } } };
const csiNode: V1CSINode = { metadata: { name: "n1" }, spec: { drivers: [{ name: driver, nodeID: "id-1" }] } };
export const observedNode = (parts: Partial<ObservedNode> = {}): ObservedNode => ({
  name: "n1",
  node: found(node),
  csiNode: found(csiNode),
  ...parts,
});

const common = { now, responsibleFor, reportOn, notes: [], events: [] };
/** The default of `--retry-interval-max`. */
const infeasibleRetryMs = 300_000;

export const observedClaim = (object: V1PersistentVolumeClaim | undefined, parts: Partial<ObservedClaim> = {}): ObservedClaim => ({
  ...{ ...common, infeasibleRetryMs },
  ref: { namespace: "default", name: "data" },
  claim: object ? found(object) : missing,
  storageClass: found(storageClass()),
  driver: installed(),
  ...parts,
});

export const observedVolume = (object: V1PersistentVolume | undefined, parts: Partial<ObservedVolume> = {}): ObservedVolume => ({
  ...common,
  ref: { name: "pv-1" },
  volume: object ? found(object) : missing,
  driver: installed(),
  ...parts,
});

export const observedAttachment = (
  object: V1VolumeAttachment | undefined,
  parts: Partial<ObservedAttachment> = {},
): ObservedAttachment => ({
  ...common,
  ref: { name: "va" },
  attachment: object ? found(object) : missing,
  volume: found(volume({}, { phase: "Bound" })),
  node: observedNode(),
  driver: installed(),
  ...parts,
});
