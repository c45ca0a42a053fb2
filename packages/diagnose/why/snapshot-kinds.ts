import type { VolumeOperation } from "@csi-sidecars/host";
import {
  groupSnapshotAnnotation,
  groupSnapshotFinalizer,
  type KubeObject,
  type LabelSelector,
  type Resource,
  type SnapshotError,
  snapshotAnnotation,
  snapshotFinalizer,
  type V1VolumeGroupSnapshot,
  type V1VolumeGroupSnapshotContent,
  type V1VolumeSnapshot,
  type V1VolumeSnapshotClass,
  type V1VolumeSnapshotContent,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";

/** A VolumeSnapshot or a VolumeGroupSnapshot: what both have, whatever their fields are called. */
export interface Snapshot {
  readonly metadata: NonNullable<KubeObject["metadata"]>;
  readonly className?: string | undefined;
  /** The claim that it is taken of; a group has a selector instead. */
  readonly claimName?: string | undefined;
  readonly selector?: LabelSelector | undefined;
  /** The content that its user names, of a snapshot that exists in the storage. */
  readonly contentName?: string | undefined;
  readonly boundTo?: string | undefined;
  readonly creationTime?: string | undefined;
  readonly readyToUse?: boolean | undefined;
  readonly error?: SnapshotError | undefined;
  /** The group snapshot that it was taken with, in its namespace. */
  readonly groupName?: string | undefined;
}

/** A VolumeSnapshotContent or a VolumeGroupSnapshotContent. */
export interface Content {
  readonly metadata: NonNullable<KubeObject["metadata"]>;
  readonly driver: string;
  readonly policy: string;
  readonly className?: string | undefined;
  readonly ref: { readonly name?: string; readonly namespace?: string; readonly uid?: string };
  /** Whether its creator named a snapshot that exists in the storage. */
  readonly isPreProvisioned: boolean;
  readonly handle?: string | undefined;
  readonly readyToUse?: boolean | undefined;
  readonly error?: SnapshotError | undefined;
  /** Whether the driver took it together with those of a group. */
  readonly isMember: boolean;
}

/** Everything in which single snapshots and group snapshots differ for those who ask about them. */
export interface SnapshotKind {
  readonly called: "snapshot" | "group snapshot";
  readonly snapshots: Resource<KubeObject>;
  readonly contents: Resource<KubeObject>;
  readonly classes: Resource<V1VolumeSnapshotClass>;
  readonly annotation: Pick<typeof snapshotAnnotation, "beingCreated" | "beingDeleted" | "defaultClass"> | typeof groupSnapshotAnnotation;
  readonly contentFinalizer: string;
  /** The finalizers of the snapshot-controller on snapshots. */
  readonly finalizers: readonly string[];
  readonly fields: { readonly className: string; readonly contentName: string; readonly ref: string };
  readonly operations: {
    readonly bind: VolumeOperation;
    readonly unbind: VolumeOperation;
    readonly take: VolumeOperation;
    readonly remove: VolumeOperation;
  };
  /** What the controller calls the content of a snapshot with this uid. */
  contentName(uid: string): string;
  readSnapshot(object: KubeObject): Snapshot;
  readContent(object: KubeObject): Content;
}

export const singleSnapshots: SnapshotKind = {
  called: "snapshot",
  snapshots: VolumeSnapshot as Resource<KubeObject>,
  contents: VolumeSnapshotContent as Resource<KubeObject>,
  classes: VolumeSnapshotClass,
  annotation: snapshotAnnotation,
  contentFinalizer: snapshotFinalizer.content,
  finalizers: [snapshotFinalizer.asSource, snapshotFinalizer.bound, snapshotFinalizer.inGroup],
  fields: {
    className: "spec.volumeSnapshotClassName",
    contentName: "spec.source.volumeSnapshotContentName",
    ref: "spec.volumeSnapshotRef",
  },
  operations: { bind: "bindSnapshot", unbind: "unbindSnapshot", take: "snapshot", remove: "deleteSnapshot" },
  contentName: (uid) => `snapcontent-${uid}`,
  readSnapshot({ metadata = {}, spec, status }: V1VolumeSnapshot) {
    const owner = metadata.ownerReferences?.find(({ kind, apiVersion }) => kind === VolumeGroupSnapshot.kind && isOfGroups(apiVersion));
    return {
      metadata,
      className: spec?.volumeSnapshotClassName,
      claimName: spec?.source?.persistentVolumeClaimName,
      contentName: spec?.source?.volumeSnapshotContentName,
      boundTo: status?.boundVolumeSnapshotContentName,
      creationTime: status?.creationTime,
      readyToUse: status?.readyToUse,
      error: status?.error,
      groupName: status?.volumeGroupSnapshotName || owner?.name,
    };
  },
  readContent({ metadata = {}, spec, status }: V1VolumeSnapshotContent) {
    return {
      ...{ metadata, driver: spec?.driver ?? "", policy: spec?.deletionPolicy ?? "", className: spec?.volumeSnapshotClassName },
      ref: spec?.volumeSnapshotRef ?? {},
      isPreProvisioned: spec?.source?.snapshotHandle !== undefined,
      handle: status?.snapshotHandle,
      readyToUse: status?.readyToUse,
      error: status?.error,
      isMember: status?.volumeGroupSnapshotHandle !== undefined || metadata.annotations?.[snapshotAnnotation.groupHandle] !== undefined,
    };
  },
};

export const groupSnapshots: SnapshotKind = {
  called: "group snapshot",
  snapshots: VolumeGroupSnapshot as Resource<KubeObject>,
  contents: VolumeGroupSnapshotContent as Resource<KubeObject>,
  classes: VolumeGroupSnapshotClass,
  annotation: groupSnapshotAnnotation,
  contentFinalizer: groupSnapshotFinalizer.content,
  finalizers: [groupSnapshotFinalizer.bound],
  fields: {
    className: "spec.volumeGroupSnapshotClassName",
    contentName: "spec.source.volumeGroupSnapshotContentName",
    ref: "spec.volumeGroupSnapshotRef",
  },
  operations: { bind: "bindGroupSnapshot", unbind: "unbindGroupSnapshot", take: "groupSnapshot", remove: "deleteGroupSnapshot" },
  contentName: (uid) => `groupsnapcontent-${uid}`,
  readSnapshot({ metadata = {}, spec, status }: V1VolumeGroupSnapshot) {
    return {
      metadata,
      className: spec?.volumeGroupSnapshotClassName,
      selector: spec?.source?.selector,
      contentName: spec?.source?.volumeGroupSnapshotContentName,
      boundTo: status?.boundVolumeGroupSnapshotContentName,
      creationTime: status?.creationTime,
      readyToUse: status?.readyToUse,
      error: status?.error,
    };
  },
  readContent({ metadata = {}, spec, status }: V1VolumeGroupSnapshotContent) {
    return {
      ...{ metadata, driver: spec?.driver ?? "", policy: spec?.deletionPolicy ?? "", className: spec?.volumeGroupSnapshotClassName },
      ref: spec?.volumeGroupSnapshotRef ?? {},
      isPreProvisioned: spec?.source?.groupSnapshotHandles !== undefined,
      handle: status?.volumeGroupSnapshotHandle,
      readyToUse: status?.readyToUse,
      error: status?.error,
      isMember: false,
    };
  },
};

function isOfGroups(apiVersion: string): boolean {
  return apiVersion.startsWith(`${VolumeGroupSnapshot.group}/`);
}
