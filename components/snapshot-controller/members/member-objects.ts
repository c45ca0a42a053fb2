import {
  apiVersionOf,
  groupSnapshotAnnotation,
  managedByLabel,
  snapshotFinalizer,
  type V1VolumeSnapshot,
  type V1VolumeSnapshotContent,
  VolumeGroupSnapshot,
  type VolumeSnapshotInfo,
} from "@csi-sidecars/kube";
import { newContent } from "../content/new-content.ts";
import type { GroupContent, GroupSnapshot, Volume } from "../fields.ts";
import { type MemberNames, memberNames } from "./member-names.ts";

/** One snapshot that the driver took with a group, and what its objects are made of. */
export interface Member {
  readonly names: MemberNames;
  readonly group: GroupSnapshot;
  readonly content: GroupContent;
  readonly groupHandle: string;
  readonly info: Readonly<VolumeSnapshotInfo>;
  /** The volume that it was taken of, if it still exists. */
  readonly volume: Volume | undefined;
}

/** The members of a group; none until the driver has taken their snapshots. */
export function takenMembers(
  group: GroupSnapshot,
  content: GroupContent,
  volumeOf: (handle: string) => Volume | undefined,
): readonly Member[] {
  const { volumeGroupSnapshotHandle: groupHandle, volumeSnapshotInfoList: list = [] } = content.status ?? {};
  if (groupHandle === undefined) return [];
  return list.map((info) => {
    const handle = info.volumeHandle ?? "";
    return { names: memberNames(group.metadata.uid, handle), volume: volumeOf(handle), group, content, groupHandle, info };
  });
}

/** It is created before its content: so no content is ever without the snapshot through which it is deleted. */
export function memberSnapshot({ names, group, volume }: Member): V1VolumeSnapshot {
  const { name, namespace = "", uid } = group.metadata;
  return {
    metadata: {
      name: names.snapshot,
      namespace,
      finalizers: [snapshotFinalizer.inGroup],
      ownerReferences: [{ apiVersion: apiVersionOf(VolumeGroupSnapshot), kind: VolumeGroupSnapshot.kind, name, uid }],
    },
    spec: { source: { persistentVolumeClaimName: volume?.spec?.claimRef?.name ?? "" } },
  };
}

/**
 * The content for a snapshot with this uid. It has no class. The secret is the one that was resolved for the group: templates may name the group,
 * and the class may be gone.
 */
export function memberContent({ names, group, content, groupHandle, info, volume }: Member, snapshotUid: string): V1VolumeSnapshotContent {
  const { annotations = {}, labels } = content.metadata;
  const name = annotations[groupSnapshotAnnotation.secretName];
  const namespace = annotations[groupSnapshotAnnotation.secretNamespace];
  return newContent({
    name: names.content,
    snapshot: { name: names.snapshot, namespace: group.metadata.namespace, uid: snapshotUid },
    driver: content.spec?.driver ?? "",
    deletionPolicy: content.spec?.deletionPolicy,
    volumeHandle: info.volumeHandle ?? "",
    volumeMode: volume?.spec?.volumeMode,
    secret: name !== undefined && namespace !== undefined ? { name, namespace } : undefined,
    groupHandle,
    node: labels?.[managedByLabel],
  });
}

type ContentStatus = NonNullable<V1VolumeSnapshotContent["status"]>;

/** What the status of a member's content lacks of what the driver has answered. What it has stays: the sidecar knows newer things. */
export function memberStatusChanges(status: Readonly<ContentStatus> | undefined, { info, groupHandle }: Member): ContentStatus {
  const lacks = (field: keyof ContentStatus) => status?.[field] === undefined;
  const { snapshotHandle, creationTime, restoreSize, readyToUse } = info;
  return {
    ...(snapshotHandle !== undefined && lacks("snapshotHandle") && { snapshotHandle }),
    ...(lacks("volumeGroupSnapshotHandle") && { volumeGroupSnapshotHandle: groupHandle }),
    ...(creationTime !== undefined && lacks("creationTime") && { creationTime }),
    ...(restoreSize !== undefined && lacks("restoreSize") && { restoreSize }),
    ...(readyToUse !== undefined && lacks("readyToUse") && { readyToUse }),
  };
}
