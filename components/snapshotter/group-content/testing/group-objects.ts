import {
  groupSnapshotAnnotation as annotation,
  groupSnapshotFinalizer,
  projectorFor,
  type V1VolumeGroupSnapshotContent,
  type V1VolumeSnapshotClass,
} from "@csi-sidecars/kube";
import { type GroupContent, groupContentFields } from "../../fields.ts";

export const driverName = "csi.example.com";
export const className = "grouped";
export const { beingCreated, beingDeleted, secretName, secretNamespace } = annotation;
export const finalizer = groupSnapshotFinalizer.content;
export const groupUid = "0f8fad5b-d9cb-469f-a165-70867728950e";

type Spec = NonNullable<V1VolumeGroupSnapshotContent["spec"]>;
type Status = NonNullable<V1VolumeGroupSnapshotContent["status"]>;

export interface GroupContentParts {
  readonly metadata?: V1VolumeGroupSnapshotContent["metadata"];
  readonly spec?: Partial<Spec>;
  readonly status?: Status;
}

/** The content `data` of the group snapshot `default/group` of the volumes `a` and `b`, as the snapshot-controller creates it. */
export function groupContent({ metadata, spec, status }: GroupContentParts = {}): V1VolumeGroupSnapshotContent {
  return {
    metadata: { name: "data", finalizers: [finalizer], ...metadata },
    spec: {
      deletionPolicy: "Delete",
      driver: driverName,
      source: { volumeHandles: ["a", "b"] },
      volumeGroupSnapshotClassName: className,
      volumeGroupSnapshotRef: {
        apiVersion: "groupsnapshot.storage.k8s.io/v1",
        kind: "VolumeGroupSnapshot",
        namespace: "default",
        name: "group",
        uid: groupUid,
      },
      ...spec,
    },
    ...(status && { status }),
  };
}

/** The same of a group snapshot that exists in the storage system, with these handles. */
export function preProvisioned(
  handle: string,
  snapshotHandles: readonly string[],
  parts: GroupContentParts = {},
): V1VolumeGroupSnapshotContent {
  const source = { groupSnapshotHandles: { volumeGroupSnapshotHandle: handle, volumeSnapshotHandles: [...snapshotHandles] } };
  const { volumeGroupSnapshotClassName: _, ...spec } = groupContent(parts).spec ?? {};
  return groupContent({ ...parts, spec: { ...spec, source, ...parts.spec } });
}

export function groupClass(parameters: Record<string, string> = {}): V1VolumeSnapshotClass {
  return { metadata: { name: className }, driver: driverName, deletionPolicy: "Delete", parameters };
}

export const deleted = { deletionTimestamp: "2026-01-02T03:04:05Z" };

/** A content as the cache holds it. */
export function cached(content: V1VolumeGroupSnapshotContent): GroupContent {
  const metadata = { uid: `uid-of-${content.metadata?.name}`, resourceVersion: "1", ...content.metadata };
  return projectorFor(groupContentFields)({ ...content, metadata });
}
