import { bytesOf, formatBytes } from "@csi-sidecars/base";
import { type KubeObject, keyOf, type V1VolumeGroupSnapshot, type V1VolumeSnapshot } from "@csi-sidecars/kube";
import type { GroupSnapshotRow, SnapshotRow } from "./status.ts";

/** When an object was created. */
export const created = ({ metadata }: KubeObject) => Date.parse(metadata?.creationTimestamp ?? "") || 0;

/** A snapshot as the view shows it. */
export function snapshotRow(snapshot: V1VolumeSnapshot): SnapshotRow {
  const { spec, status } = snapshot;
  const { persistentVolumeClaimName: claim, volumeSnapshotContentName: content } = spec?.source ?? {};
  return {
    name: keyOf(snapshot),
    phase: phaseOf(snapshot),
    size: status?.restoreSize === undefined ? "" : formatBytes(bytesOf(status.restoreSize)),
    source: claim ?? content ?? "",
    group: status?.volumeGroupSnapshotName ?? "",
    since: created(snapshot),
  };
}

/** A group snapshot as the view shows it; its members are among the snapshots. */
export function groupSnapshotRow(group: V1VolumeGroupSnapshot, snapshots: readonly V1VolumeSnapshot[]): GroupSnapshotRow {
  const { name, namespace } = group.metadata ?? {};
  const members = snapshots.filter(({ metadata, status }) => metadata?.namespace === namespace && status?.volumeGroupSnapshotName === name);
  const claims = members.map(({ spec }) => spec?.source?.persistentVolumeClaimName ?? "");
  return { name: keyOf(group), phase: phaseOf(group), claims: claims.toSorted().join(", "), since: created(group) };
}

function phaseOf({ metadata, status }: V1VolumeSnapshot | V1VolumeGroupSnapshot): string {
  if (metadata?.deletionTimestamp) return "Deleting";
  if (status?.readyToUse) return "Ready";
  return status?.error ? "Error" : "Creating";
}
