import { type Key, refKey, type View, VolumeGroupSnapshot } from "@csi-sidecars/kube";
import type { Snapshot } from "./fields.ts";

const index = "group";

/** To be called once, before `membersOf`. */
export function indexMembers(snapshots: Pick<View<Snapshot>, "addIndex">): void {
  snapshots.addIndex(index, (snapshot) => {
    const name = groupNameOf(snapshot);
    return name === undefined ? [] : [refKey({ name, namespace: snapshot.metadata.namespace })];
  });
}

/** The snapshots that a group snapshot owns, or is the source of. */
export function membersOf(snapshots: Pick<View<Snapshot>, "byIndex">, group: Key): readonly Snapshot[] {
  return snapshots.byIndex(index, group);
}

/** The group snapshot that owns a snapshot, in whichever version of the API it was written. */
export function ownerOf({ metadata }: Snapshot): { readonly name: string; readonly uid: string } | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === VolumeGroupSnapshot.kind && apiVersion.startsWith(`${VolumeGroupSnapshot.group}/`),
  );
}

/** The name of the group snapshot, in the same namespace, that a snapshot was taken with. */
export function groupNameOf(snapshot: Snapshot): string | undefined {
  return snapshot.status?.volumeGroupSnapshotName || ownerOf(snapshot)?.name;
}
