import type { GroupContent, GroupSnapshot } from "../fields.ts";

/** Whether the user has named a content, for a group snapshot that exists in the storage system. */
export function isPreProvisionedGroup({ spec }: GroupSnapshot): boolean {
  return spec?.source?.volumeGroupSnapshotContentName !== undefined;
}

/** The name of the content that belongs to a group snapshot, whether or not it exists. */
export function groupContentNameOf({ metadata, spec }: GroupSnapshot): string {
  return spec?.source?.volumeGroupSnapshotContentName ?? `groupsnapcontent-${metadata.uid}`;
}

/** Whether a content says that it belongs to this very group snapshot. */
export function isGroupContentOf({ spec }: GroupContent, { metadata }: GroupSnapshot): boolean {
  const { name, namespace, uid } = spec?.volumeGroupSnapshotRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && uid === metadata.uid;
}

/** Whether a content names the group snapshot and is not bound yet, neither to it nor to an earlier one of its name. */
export function isFreeFor({ spec }: GroupContent, { metadata }: GroupSnapshot): boolean {
  const { name, namespace, uid } = spec?.volumeGroupSnapshotRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && !uid;
}

export function isGroupReadyAndBound({ status }: GroupSnapshot): boolean {
  return status?.readyToUse === true && (status.boundVolumeGroupSnapshotContentName ?? "") !== "";
}

/** Whether a group snapshot is not bound yet: without a class, and unless its content exists, without claims and volumes, it cannot be. */
export function isWaitingForContent({ metadata, status }: GroupSnapshot): boolean {
  return (status?.boundVolumeGroupSnapshotContentName ?? "") === "" && metadata.deletionTimestamp === undefined;
}
