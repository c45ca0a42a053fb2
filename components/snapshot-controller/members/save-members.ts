import { apiCallOptions, patchNewest, statusPatch } from "@csi-sidecars/controller";
import { keyOf, mergePatch, VolumeSnapshot } from "@csi-sidecars/kube";
import { createContent } from "../content/create-content.ts";
import { createOrRead } from "../create-or-read.ts";
import type { Content, GroupContent, GroupSnapshot, Snapshot } from "../fields.ts";
import { ownerOf } from "../group-members.ts";
import type { GroupContext } from "../group-snapshot/group-context.ts";
import { type Member, memberContent, memberSnapshot, memberStatusChanges, takenMembers } from "./member-objects.ts";
import { volumeWithHandle } from "./volume-handles.ts";

/** Creates what is missing of the snapshots and contents of a group that the driver has taken, and fills in what their status lacks. */
export async function saveMembers(c: GroupContext, group: GroupSnapshot, content: GroupContent, signal: AbortSignal): Promise<void> {
  const volumeOf = (handle: string) => volumeWithHandle(c.caches.volumes, content.spec?.driver ?? "", handle);
  for (const member of takenMembers(group, content, volumeOf)) await saveMember(c, member, signal);
}

async function saveMember(c: GroupContext, member: Member, signal: AbortSignal): Promise<void> {
  const snapshot = await saveSnapshot(c, member, signal);
  const { uid } = snapshot.metadata;
  const content = await saveContent(c, member, uid, signal);
  const options = apiCallOptions(signal);
  const bound = await patchNewest(c.contentTarget, content, (newest) => boundTo(newest, uid), options);
  const fill = (newest: Content) => statusPatch(newest, memberStatusChanges(newest.status, member));
  const filled = bound && (await patchNewest(c.contentTarget, bound, fill, { ...options, subresource: "status" }));
  if (!filled) throw new Error(`VolumeSnapshotContent ${member.names.content} was deleted while its group snapshot is being taken`);
  // Our own writes are no events for the loop of snapshots.
  c.snapshotLoop.enqueue(keyOf(snapshot));
}

async function saveSnapshot(c: GroupContext, member: Member, signal: AbortSignal): Promise<Snapshot> {
  const { uid, namespace } = member.group.metadata;
  const key = `${namespace}/${member.names.snapshot}`;
  const send = () => createOrRead(c.kube, VolumeSnapshot, memberSnapshot(member), apiCallOptions(signal));
  const snapshot = c.snapshots.get(key) ?? (await c.snapshots.create(key, send));
  if (ownerOf(snapshot)?.uid === uid) return snapshot;
  throw new Error(`VolumeSnapshot ${key} exists, and is not owned by group snapshot ${namespace}/${member.group.metadata.name}`);
}

async function saveContent(c: GroupContext, member: Member, snapshotUid: string, signal: AbortSignal): Promise<Content> {
  const name = member.names.content;
  return c.contents.get(name) ?? (await createContent(c, memberContent(member, snapshotUid), signal));
}

/** Releases before ours created the content first, and bound it after that. */
function boundTo({ metadata, spec }: Content, snapshotUid: string) {
  if (spec?.volumeSnapshotRef?.uid === snapshotUid) return undefined;
  return mergePatch({ metadata: { uid: metadata.uid }, spec: { volumeSnapshotRef: { uid: snapshotUid } } });
}
