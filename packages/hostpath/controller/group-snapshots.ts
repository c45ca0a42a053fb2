import type { CreateVolumeGroupSnapshotRequest, DeleteVolumeGroupSnapshotRequest, GetVolumeGroupSnapshotRequest } from "@csi-sidecars/csi";
import { type Backend, commitWith, groupById, snapshotById, volumeById } from "../backend.ts";
import type { PendingMove } from "../data/data.ts";
import { groupLock, groupNameLock, snapshotLock, snapshotNameLock, volumeLock } from "../locks.ts";
import { refuse, requireFields } from "../refuse.ts";
import { type Change, type GroupRecord, timestampOf } from "../state/records.ts";
import { cutAtRest } from "./cut-at-rest.ts";
import { cut, snapshotResponse } from "./snapshots.ts";

function groupResponse(backend: Backend, group: GroupRecord) {
  const snapshots = group.snapshotIds.map((id) => snapshotResponse(backend, snapshotById(backend, id)));
  return {
    groupSnapshotId: group.id,
    snapshots,
    creationTime: group.creationTime,
    readyToUse: snapshots.every(({ readyToUse }) => readyToUse),
  };
}

/** CreateVolumeGroupSnapshot: all members or none, and all of the same moment. */
export async function createVolumeGroupSnapshot(backend: Backend, request: CreateVolumeGroupSnapshotRequest) {
  const { name } = request;
  const sources = [...new Set(request.sourceVolumeIds)];
  requireFields({ name });
  if (sources.length === 0) refuse("InvalidArgument", "source_volume_ids missing in request");
  const locks = sources.flatMap((id) => [volumeLock(id, true), snapshotNameLock(memberName(name, id))]);
  return backend.locks.run([groupNameLock(name), ...locks], async () => {
    const existing = backend.state.groups.named(name);
    if (existing) {
      if (!sameSet(existing.sourceVolumeIds, sources)) {
        refuse("AlreadyExists", `group snapshot with the same name: ${name} but with different source volumes already exist`);
      }
      return { groupSnapshot: groupResponse(backend, await followUp(backend, existing)) };
    }
    const group = await create(backend, request, sources);
    return { groupSnapshot: groupResponse(backend, group) };
  });
}

async function create(backend: Backend, request: CreateVolumeGroupSnapshotRequest, sources: readonly string[]): Promise<GroupRecord> {
  const { scripted } = backend;
  const volumes = sources.map((id) => volumeById(backend, id));
  for (const id of sources) {
    const taken = memberName(request.name, id);
    if (backend.state.snapshots.named(taken)) refuse("AlreadyExists", `a snapshot with the name ${taken} already exists`);
  }
  const groupId = backend.newId();
  const discard = async (members: readonly { readonly move: PendingMove }[]) => {
    for (const { move } of members) await move.rollback();
  };
  const { made: members, written } = await cutAtRest(backend, volumes, () => cutMembers(backend, request, sources, groupId), discard);
  if (written) {
    await discard(members);
    refuse("Aborted", `volume ${written.id} never rests: the snapshots of group ${request.name} would not show the same moment`);
  }
  const group: GroupRecord = {
    id: groupId,
    name: request.name,
    snapshotIds: members.map(({ record }) => record.id),
    sourceVolumeIds: sources,
    creationTime: members[0]?.record.creationTime ?? timestampOf(backend.clock.now()),
    readyToUse: scripted.groupReadyAfter === undefined,
  };
  const changes = members.map(({ record }): Change => ({ put: "snapshot", record }));
  // Before anybody can see it.
  scripted.cut(group.id, scripted.groupReadyAfter);
  await commitWith(
    backend,
    members.map(({ move }) => move),
    [...changes, { put: "group", record: group }],
  );
  return group;
}

function cutMembers(backend: Backend, request: CreateVolumeGroupSnapshotRequest, sources: readonly string[], groupId: string) {
  const creationTime = timestampOf(backend.clock.now());
  return allOrNone(
    sources,
    (sourceVolumeId) => {
      const member = { name: memberName(request.name, sourceVolumeId), sourceVolumeId, parameters: request.parameters };
      return cut(backend, member, { creationTime, groupId, readyToUse: true });
    },
    ({ move }) => move,
  );
}

async function followUp(backend: Backend, group: GroupRecord): Promise<GroupRecord> {
  if (group.readyToUse) return group;
  backend.scripted.askedAgain(group.id);
  if (!backend.scripted.isReady(group)) return group;
  const record = { ...group, readyToUse: true };
  await backend.state.commit([{ put: "group", record }]);
  return record;
}

/** DeleteVolumeGroupSnapshot: the members go with their group. */
export async function deleteVolumeGroupSnapshot(backend: Backend, { groupSnapshotId: id, snapshotIds }: DeleteVolumeGroupSnapshotRequest) {
  requireFields({ group_snapshot_id: id });
  const known = backend.state.groups.get(id);
  const locks = known ? [groupNameLock(known.name), ...known.snapshotIds.map((member) => snapshotLock(member))] : [];
  await backend.locks.run([groupLock(id), ...locks], async () => {
    const group = backend.state.groups.get(id);
    if (!group) return;
    checkMembers(group, snapshotIds);
    const members = group.snapshotIds.flatMap((member) => backend.state.snapshots.get(member) ?? []);
    const moves = await allOrNone(
      members,
      ({ path }) => backend.data.remove(path),
      (move) => move,
    );
    const changes = members.map((member): Change => ({ remove: "snapshot", id: member.id }));
    await commitWith(backend, moves, [...changes, { remove: "group", id }]);
  });
  return {};
}

/** GetVolumeGroupSnapshot: a group that is not ready counts this call too. */
export function getVolumeGroupSnapshot(backend: Backend, { groupSnapshotId, snapshotIds }: GetVolumeGroupSnapshotRequest) {
  requireFields({ group_snapshot_id: groupSnapshotId });
  const group = groupById(backend, groupSnapshotId);
  checkMembers(group, snapshotIds);
  backend.scripted.askedAgain(group.id);
  return { groupSnapshot: groupResponse(backend, group) };
}

function checkMembers(group: GroupRecord, snapshotIds: readonly string[]): void {
  if (snapshotIds.length === 0 || sameSet(group.snapshotIds, snapshotIds)) return;
  refuse("InvalidArgument", `snapshot_ids are not those of group snapshot ${group.id}`);
}

/** Moves the data of all members, one after the other; when one fails, the others are moved back. */
async function allOrNone<I, T>(items: readonly I[], make: (item: I) => Promise<T>, moveOf: (made: T) => PendingMove): Promise<T[]> {
  const made: T[] = [];
  try {
    for (const item of items) made.push(await make(item));
    return made;
  } catch (error) {
    for (const one of made) await moveOf(one).rollback();
    throw error;
  }
}

const memberName = (group: string, volumeId: string) => `${group}-${volumeId}`;

const sameSet = (a: readonly string[], b: readonly string[]) => {
  const set = new Set(a);
  return set.size === new Set(b).size && b.every((item) => set.has(item));
};
