import type {
  V1PersistentVolumeClaim,
  V1VolumeGroupSnapshot,
  V1VolumeGroupSnapshotContent,
  V1VolumeSnapshot,
  V1VolumeSnapshotClass,
  V1VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { found, missing } from "../../access/read-cluster.ts";
import type { ObservedContent, ObservedSnapshot, ObservedSource } from "../gather/observed.ts";
import { groupSnapshots, singleSnapshots } from "../snapshot-kinds.ts";
import { ago, bound, driver, installed, lease, now, volume } from "./objects.ts";
import { responsibleFor } from "./sidecars.ts";

// Objects around one snapshot `default/backup` of claim `default/data`, each changed as told.

type Meta = V1PersistentVolumeClaim["metadata"];
const common = { now, responsibleFor, notes: [], events: [] };
const ownFinalizers = [
  "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection",
  "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection",
];
const contentFinalizer = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";

export const beingCreated = { "snapshot.storage.kubernetes.io/volumesnapshot-being-created": "yes" };
export const beingDeleted = { "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted": "yes" };
export const deleted = { deletionTimestamp: ago(2) };

export const snapshot = (spec: V1VolumeSnapshot["spec"] = {}, status: V1VolumeSnapshot["status"] = {}, metadata: Meta = {}) =>
  singleSnapshots.readSnapshot({
    metadata: {
      ...{ name: "backup", namespace: "default", uid: "snapshot-uid", creationTimestamp: ago(10), finalizers: ownFinalizers },
      ...metadata,
    },
    spec: { source: { persistentVolumeClaimName: "data" }, volumeSnapshotClassName: "gold", ...spec },
    status,
  } as V1VolumeSnapshot);

export const content = (spec: V1VolumeSnapshotContent["spec"] = {}, status: V1VolumeSnapshotContent["status"] = {}, metadata: Meta = {}) =>
  singleSnapshots.readContent({
    metadata: { name: "snapcontent-1", uid: "content-uid", creationTimestamp: ago(9), finalizers: [contentFinalizer], ...metadata },
    spec: {
      ...{ driver, deletionPolicy: "Delete", source: { volumeHandle: "handle-1" }, volumeSnapshotClassName: "gold" },
      volumeSnapshotRef: { name: "backup", namespace: "default", uid: "snapshot-uid" },
      ...spec,
    },
    status,
  } as V1VolumeSnapshotContent);

export const snapshotClass = (name = "gold", parts: V1VolumeSnapshotClass = {}): V1VolumeSnapshotClass => ({
  metadata: { name },
  driver,
  deletionPolicy: "Delete",
  ...parts,
});

export const source = (parts: Partial<ObservedSource> = {}): ObservedSource => ({
  ref: { namespace: "default", name: "data" },
  claim: found(bound()),
  volume: found(volume({}, { phase: "Bound" })),
  ...parts,
});

export const controllerLeads = found([lease("snapshot-controller-leader", 0.1, "controller-1")]);
const sidecarLeads = installed({ leases: found([lease("external-snapshotter-leader-csi-example-com", 0.1)]) });

export const observedContent = (object: ReturnType<typeof content> | undefined, parts: Partial<ObservedContent> = {}): ObservedContent => ({
  ...common,
  kind: singleSnapshots,
  ref: { name: "snapcontent-1" },
  content: object ? found(object) : missing,
  contentClass: found(snapshotClass()),
  driver: sidecarLeads,
  controller: controllerLeads,
  ...parts,
});

export const observedSnapshot = (
  object: ReturnType<typeof snapshot> | undefined,
  parts: Partial<ObservedSnapshot> = {},
): ObservedSnapshot => ({
  ...common,
  kind: singleSnapshots,
  ref: { namespace: "default", name: "backup" },
  snapshot: object ? found(object) : missing,
  content: observedContent(undefined),
  sources: found([source()]),
  snapshotClass: found(snapshotClass()),
  controller: controllerLeads,
  ...parts,
});

/** With a content that exists. */
export const withContent = (
  object: ReturnType<typeof content>,
  parts: Partial<ObservedContent> = {},
  more: Partial<ObservedSnapshot> = {},
) =>
  observedSnapshot(snapshot({}, { boundVolumeSnapshotContentName: "snapcontent-1", readyToUse: false }), {
    content: observedContent(object, parts),
    ...more,
  });

export const groupSnapshot = (
  spec: V1VolumeGroupSnapshot["spec"] = {},
  status: V1VolumeGroupSnapshot["status"] = {},
  metadata: Meta = {},
) =>
  groupSnapshots.readSnapshot({
    metadata: {
      ...{ name: "group", namespace: "default", uid: "group-uid", creationTimestamp: ago(10) },
      finalizers: ["groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection"],
      ...metadata,
    },
    spec: { source: { selector: { matchLabels: { app: "db" } } }, volumeGroupSnapshotClassName: "gold", ...spec },
    status,
  } as V1VolumeGroupSnapshot);

export const groupContent = (
  spec: V1VolumeGroupSnapshotContent["spec"] = {},
  status: V1VolumeGroupSnapshotContent["status"] = {},
  metadata: Meta = {},
) =>
  groupSnapshots.readContent({
    metadata: {
      ...{ name: "groupsnapcontent-1", uid: "group-content-uid", creationTimestamp: ago(9) },
      finalizers: ["groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection"],
      ...metadata,
    },
    spec: {
      ...{ driver, deletionPolicy: "Delete", source: { volumeHandles: ["handle-1"] } },
      volumeGroupSnapshotRef: { name: "group", namespace: "default", uid: "group-uid" },
      ...spec,
    },
    status,
  } as V1VolumeGroupSnapshotContent);

export const ofGroup = { kind: groupSnapshots, ref: { namespace: "default", name: "group" } };
