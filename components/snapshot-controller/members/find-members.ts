import { apiCallOptions } from "@csi-sidecars/controller";
import { ignoreNotFound, keyOf, refKey, VolumeSnapshot } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot, Snapshot } from "../fields.ts";
import { membersOf, ownerOf } from "../group-members.ts";
import type { GroupContext } from "../group-snapshot/group-context.ts";
import { takenMembers } from "./member-objects.ts";

/**
 * The snapshots that belong to a group snapshot which is being deleted, also those that the watch does not show: the answer to their creation may
 * be lost, with the process even.
 */
export async function findMembers(
  c: GroupContext,
  group: GroupSnapshot,
  content: GroupContent | undefined,
  signal: AbortSignal,
): Promise<readonly Snapshot[]> {
  const isOwned = (snapshot: Snapshot) => ownerOf(snapshot)?.uid === group.metadata.uid;
  const shown = membersOf(c.caches.snapshots, keyOf(group)).filter(isOwned);
  const found = new Map(shown.map((snapshot) => [snapshot.metadata.uid, c.snapshots.get(keyOf(snapshot)) ?? snapshot]));
  for (const { names } of content ? takenMembers(group, content, () => undefined) : []) {
    const ref = { name: names.snapshot, namespace: group.metadata.namespace };
    const cached = c.snapshots.get(refKey(ref));
    const read = cached ? undefined : await ignoreNotFound(c.kube.get(VolumeSnapshot, ref, apiCallOptions(signal)));
    const snapshot = cached ?? (read && c.snapshotTarget.project(read));
    if (snapshot && isOwned(snapshot)) found.set(snapshot.metadata.uid, snapshot);
  }
  return [...found.values()];
}
