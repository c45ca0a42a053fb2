import {
  type Cached,
  type FieldSet,
  type KubeObject,
  projectorFor,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  type V1VolumeSnapshot,
  type V1VolumeSnapshotClass,
  type V1VolumeSnapshotContent,
} from "@csi-sidecars/kube";

export const driverName = "csi.example.com";
export const inDefault = (name: string) => ({ namespace: "default", name });
export const volumeNameOf = (claim: string) => `pv-${claim}`;
export const handleOf = (claim: string) => `handle-${claim}`;
export const uidOf = (name: string) => `uid-of-${name}`;

type Meta = KubeObject["metadata"];

interface Parts<T extends { spec?: unknown; status?: unknown }> {
  readonly name?: string;
  readonly metadata?: Meta;
  readonly spec?: Partial<NonNullable<T["spec"]>>;
  readonly status?: Partial<NonNullable<T["status"]>>;
}

export type ClaimParts = Parts<V1PersistentVolumeClaim>;
export type VolumeParts = Parts<V1PersistentVolume> & { readonly claimUid?: string };
export type SnapshotParts = Parts<V1VolumeSnapshot>;
export type ContentParts = Parts<V1VolumeSnapshotContent> & { readonly snapshotUid?: string };

/** `default/data`, bound to `pv-data` unless told. */
export function claimOf({ name = "data", metadata, spec, status }: ClaimParts = {}): V1PersistentVolumeClaim {
  return {
    metadata: { ...inDefault(name), ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "fast",
      volumeName: volumeNameOf(name),
      ...spec,
    },
    status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...status },
  };
}

/** The volume of a claim. */
export function volumeOf({ name = "data", metadata, spec, claimUid = uidOf(name) }: VolumeParts = {}): V1PersistentVolume {
  return {
    metadata: { name: volumeNameOf(name), ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "fast",
      volumeMode: "Filesystem",
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inDefault(name), uid: claimUid },
      csi: { driver: driverName, volumeHandle: handleOf(name) },
      ...spec,
    },
  };
}

/** The class `gold` of the driver, which deletes snapshots. */
export function classOf({ metadata, ...parts }: V1VolumeSnapshotClass = {}): V1VolumeSnapshotClass {
  return { metadata: { name: "gold", ...metadata }, driver: driverName, deletionPolicy: "Delete", ...parts };
}

/** `default/backup`: a snapshot of `data` with the class `gold`. */
export function snapshotOf({ name = "backup", metadata, spec, status }: SnapshotParts = {}): V1VolumeSnapshot {
  return {
    metadata: { ...inDefault(name), ...metadata },
    spec: { source: { persistentVolumeClaimName: "data" }, volumeSnapshotClassName: "gold", ...spec },
    ...(status && { status }),
  };
}

/** A snapshot that names a content. */
export function preProvisioned(content = "existing", parts: SnapshotParts = {}): SnapshotParts {
  return { ...parts, spec: { source: { volumeSnapshotContentName: content }, ...parts.spec } };
}

/** The content of `default/backup`, as the controller creates it. */
export function contentOf(parts: ContentParts = {}): V1VolumeSnapshotContent {
  const { snapshotUid = uidOf("backup"), name = `snapcontent-${snapshotUid}`, metadata, spec, status } = parts;
  return {
    metadata: { name, ...metadata },
    spec: {
      deletionPolicy: "Delete",
      driver: driverName,
      source: { volumeHandle: handleOf("data") },
      volumeSnapshotClassName: "gold",
      volumeSnapshotRef: { ...inDefault("backup"), uid: snapshotUid },
      ...spec,
    },
    ...(status && { status }),
  };
}

/** A content that the user has made, for `default/backup`; not bound yet. */
export function existingContent(parts: ContentParts = {}): V1VolumeSnapshotContent {
  return {
    metadata: { name: "existing", ...parts.metadata },
    spec: {
      deletionPolicy: "Delete",
      driver: driverName,
      source: { snapshotHandle: "snap-1" },
      volumeSnapshotRef: inDefault("backup"),
      ...parts.spec,
    },
    ...(parts.status && { status: parts.status }),
  };
}

/** An object as the cache holds it. */
export function cached<T extends KubeObject, P extends Cached>(fields: FieldSet<T, P>, object: T): P {
  const metadata = { uid: uidOf(object.metadata?.name ?? ""), resourceVersion: "1", ...object.metadata };
  return projectorFor(fields)({ ...object, metadata });
}
