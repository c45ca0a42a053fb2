import { apiCallOptions } from "@csi-sidecars/controller";
import { keyOf, VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot, Snapshot } from "../fields.ts";
import { membersOf, ownerOf } from "../group-members.ts";
import type { GroupContext } from "../group-snapshot/group-context.ts";
import { takenMembers } from "./member-objects.ts";

/**
 * The snapshots that belong to a group snapshot which is being deleted, also those that the watch does not show yet. Throws while it does not show a
 * content that exists: once the group is gone, the content of a member is looked for there only.
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
  const options = apiCallOptions(signal);
  for (const { names } of content ? takenMembers(group, content, () => undefined) : []) {
    const ref = { name: names.snapshot, namespace: group.metadata.namespace };
    const key = `${ref.namespace}/${ref.name}`;
    const read = async () => c.snapshotTarget.project(await c.kube.get(VolumeSnapshot, ref, options));
    const snapshot = await c.uncertain.find(key, c.snapshots.get(key), read);
    if (snapshot && isOwned(snapshot)) found.set(snapshot.metadata.uid, snapshot);
    const readContent = () => c.kube.get(VolumeSnapshotContent, { name: names.content }, options);
    const isShown = c.caches.contents.get(names.content) !== undefined;
    if (!isShown && (await c.uncertain.find<unknown>(names.content, undefined, readContent))) {
      throw new Error(`the watch has yet to show VolumeSnapshotContent ${names.content}`);
    }
  }
  return [...found.values()];
}
