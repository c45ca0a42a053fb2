import { hasFinalizer } from "@csi-sidecars/controller";
import { groupSnapshotFinalizer, type Handler, keyOf, type Priority } from "@csi-sidecars/kube";
import { deletionOf } from "../deleted-snapshots.ts";
import type { Claim, Content, GroupContent, GroupSnapshot, Snapshot, Volume } from "../fields.ts";
import { membersOf, ownerOf } from "../group-members.ts";
import { snapshotsRestoredBy } from "../restoring-claims.ts";
import { groupContentNameOf, isPreProvisionedGroup } from "./group-binding.ts";
import type { GroupContext } from "./group-context.ts";
import { waitingGroups } from "./waiting-groups.ts";

const name = "group snapshots";

/** Turns watch events into queue keys. Nothing waits for a resync or a backoff to be noticed. */
export function addGroupEventHandlers(c: GroupContext, resyncMs: number): void {
  c.groupCaches.groupSnapshots.addHandler(groupHandler(c), { resyncMs, name });
  c.groupCaches.groupContents.addHandler(contentHandler(c), { resyncMs, name });
  const considerAll = () => enqueueWaiting(c);
  c.groupCaches.groupClasses.addHandler({ onAdd: considerAll, onUpdate: considerAll, onDelete: considerAll }, { name });
  c.caches.claims.addHandler(claimHandler(c), { name });
  c.caches.volumes.addHandler(volumeHandler(c), { name });
  c.caches.snapshots.addHandler(memberHandler(c), { name });
}

function groupHandler(c: GroupContext): Handler<GroupSnapshot> {
  /** Nobody has let the content go, which exists or may be created yet. */
  const leavesContent = (group: GroupSnapshot) =>
    hasFinalizer(group, groupSnapshotFinalizer.bound) &&
    !isPreProvisionedGroup(group) &&
    (deletionOf(group.metadata, groupSnapshotFinalizer.bound) !== "regular" || !c.groupContents.get(groupContentNameOf(group)));
  return {
    onAdd(group, { initial }) {
      c.groupLoop.enqueue(keyOf(group), initial ? "low" : "normal");
      if (!initial) for (const member of membersOf(c.caches.snapshots, keyOf(group))) c.snapshotLoop.enqueue(keyOf(member));
    },
    onUpdate(old, group) {
      if (old === group) c.groupLoop.enqueue(keyOf(group), "low");
      else c.groupSnapshots.observe(old, group, () => c.groupLoop.enqueue(keyOf(group)));
    },
    onDelete(deleted) {
      const group = c.groupSnapshots.deleted(deleted);
      if (leavesContent(group)) c.lateContents.expect(group.metadata.uid);
      c.deletedGroups.add(group.metadata);
      c.releasedGroups.delete(group.metadata.uid);
      c.firstLooks.forget(group.metadata.uid);
      c.metrics.gone("GroupSnapshot", group.metadata.uid);
      const content = group.status?.boundVolumeGroupSnapshotContentName || groupContentNameOf(group);
      if (content) c.groupContentLoop.enqueue(content);
      // They were waiting for this.
      for (const member of membersOf(c.caches.snapshots, keyOf(group))) c.snapshotLoop.enqueue(keyOf(member));
    },
  };
}

function contentHandler(c: GroupContext): Handler<GroupContent> {
  /** Snapshots that exist in the storage system wait for the group that they were taken with: for its handle, and to be owned by it. */
  const enqueueMembers = (content: GroupContent) => {
    if (content.status?.volumeGroupSnapshotHandle === undefined) return;
    for (const member of c.groupCaches.contentsOfMembers(content)) enqueueSnapshotOf(c, member);
  };
  const isOther = (old: GroupContent, content: GroupContent) =>
    old.status?.volumeGroupSnapshotHandle !== content.status?.volumeGroupSnapshotHandle ||
    old.spec?.volumeGroupSnapshotRef?.uid !== content.spec?.volumeGroupSnapshotRef?.uid;
  return {
    onAdd(content, { initial }) {
      if (!initial) enqueueMembers(content);
      c.groupContents.observe(undefined, content, () => undefined);
      c.groupContentLoop.enqueue(content.metadata.name, initial ? "low" : "normal");
    },
    onUpdate(old, content) {
      if (isOther(old, content)) enqueueMembers(content);
      if (old === content) c.groupContentLoop.enqueue(content.metadata.name, "low");
      else c.groupContents.observe(old, content, () => c.groupContentLoop.enqueue(content.metadata.name));
    },
    onDelete(content) {
      c.groupContents.deleted(content);
      const { name: group = "", namespace = "", uid = "" } = content.spec?.volumeGroupSnapshotRef ?? {};
      c.lateContents.forgetSpared(uid);
      if (content.metadata.deletionTimestamp !== undefined) c.releasedGroups.add(uid);
      c.groupLoop.enqueue(`${namespace}/${group}`);
    },
  };
}

export function enqueueSnapshotOf({ snapshotLoop }: Pick<GroupContext, "snapshotLoop">, { spec }: Content, priority?: Priority): void {
  const { namespace, name } = spec?.volumeSnapshotRef ?? {};
  snapshotLoop.enqueue(`${namespace}/${name}`, priority);
}

/** A claim may be the last that a group snapshot waits for, or its volume the last that is restored from a member of a group. */
function claimHandler(c: GroupContext): Handler<Claim> {
  const releaseGroups = (restored: readonly string[]) => {
    for (const key of restored) enqueueGroupOf(c, c.caches.snapshots.get(key));
  };
  return {
    onAdd(claim, { initial }) {
      if (!initial) enqueueWaiting(c, claim.metadata.namespace);
    },
    onUpdate(old, claim) {
      if (old === claim) return;
      const isOther = old.status?.phase !== claim.status?.phase || old.spec?.volumeName !== claim.spec?.volumeName;
      if (isOther || old.metadata.labels !== claim.metadata.labels) enqueueWaiting(c, claim.metadata.namespace);
      const restores = snapshotsRestoredBy(claim);
      releaseGroups(snapshotsRestoredBy(old).filter((key) => !restores.includes(key)));
    },
    onDelete(claim) {
      // It may have been the one that is not bound.
      enqueueWaiting(c, claim.metadata.namespace);
      releaseGroups(snapshotsRestoredBy(claim));
    },
  };
}

function volumeHandler(c: GroupContext): Handler<Volume> {
  const consider = ({ spec }: Volume) => {
    if (spec?.claimRef?.namespace) enqueueWaiting(c, spec.claimRef.namespace);
  };
  return {
    onAdd: (volume, { initial }) => (initial ? undefined : consider(volume)),
    onUpdate(old, volume) {
      if (old.spec?.claimRef !== volume.spec?.claimRef) consider(volume);
    },
  };
}

/** A snapshot may become a member of a group snapshot that is being deleted already. */
function memberHandler(c: GroupContext): Handler<Snapshot> {
  const consider = (snapshot: Snapshot) => {
    if (snapshot.metadata.deletionTimestamp === undefined) enqueueGroupOf(c, snapshot);
  };
  return {
    onAdd: (snapshot, { initial }) => (initial ? undefined : consider(snapshot)),
    onUpdate(old, snapshot) {
      if (old.metadata.ownerReferences !== snapshot.metadata.ownerReferences) consider(snapshot);
    },
  };
}

/** If it is being deleted: a group snapshot that is not does not wait for its members. */
function enqueueGroupOf(c: GroupContext, snapshot: Snapshot | undefined): void {
  const owner = snapshot && ownerOf(snapshot);
  if (!owner) return;
  const key = `${snapshot.metadata.namespace}/${owner.name}`;
  if (c.groupSnapshots.get(key)?.metadata.deletionTimestamp !== undefined) c.groupLoop.enqueue(key);
}

function enqueueWaiting(c: GroupContext, namespace?: string): void {
  for (const group of waitingGroups(c.groupCaches.groupSnapshots, namespace)) c.groupLoop.enqueue(keyOf(group));
}
