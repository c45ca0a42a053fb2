import type { Content, Snapshot } from "../fields.ts";
import { ownerOf } from "../group-members.ts";
import { memberContentName } from "../members/member-names.ts";

/** Whether a content says that it belongs to this very snapshot. */
export function isBoundTo({ spec }: Content, { metadata }: Snapshot): boolean {
  const { name, namespace, uid } = spec?.volumeSnapshotRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && uid === metadata.uid;
}

/** Whether a content names the snapshot and is not bound yet, neither to it nor to an earlier one of its name. */
export function isFreeFor({ spec }: Content, { metadata }: Snapshot): boolean {
  const { name, namespace, uid } = spec?.volumeSnapshotRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && !uid;
}

/** Whether the user has named a content, for a snapshot that exists in the storage system. */
export function isPreProvisioned({ spec }: Snapshot): boolean {
  return spec?.source?.volumeSnapshotContentName !== undefined;
}

/** Whether the snapshot was created for a group snapshot, together with its content. */
export function isGroupMember(snapshot: Snapshot): boolean {
  return !isPreProvisioned(snapshot) && ownerOf(snapshot) !== undefined;
}

/** Whether the snapshot is taken for it alone, with a content that we create. */
export function isDynamic(snapshot: Snapshot): boolean {
  return !isPreProvisioned(snapshot) && !isGroupMember(snapshot);
}

/** The name of the content that belongs to a snapshot, whether or not it exists; `undefined` if it is not known yet. */
export function contentNameOf(snapshot: Snapshot): string | undefined {
  if (isPreProvisioned(snapshot)) return snapshot.spec?.source?.volumeSnapshotContentName;
  if (isGroupMember(snapshot)) return snapshot.status?.boundVolumeSnapshotContentName ?? memberContentName(snapshot.metadata.name);
  return `snapcontent-${snapshot.metadata.uid}`;
}

/** The key of the claim that a snapshot is taken of. */
export function claimKeyOf({ metadata, spec }: Snapshot): string | undefined {
  const name = spec?.source?.persistentVolumeClaimName;
  return name === undefined ? undefined : `${metadata.namespace}/${name}`;
}

export function isReadyAndBound({ status }: Snapshot): boolean {
  return status?.readyToUse === true && (status.boundVolumeSnapshotContentName ?? "") !== "";
}
