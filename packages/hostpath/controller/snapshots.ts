import type { CreateSnapshotRequest } from "@csi-sidecars/csi";
import { type Backend, commitWith, snapshotById, volumeById } from "../backend.ts";
import type { PendingMove } from "../data/data.ts";
import { snapshotLock, snapshotNameLock, volumeLock } from "../locks.ts";
import { parseBoolean } from "../parse-values.ts";
import { refuse, requireFields } from "../refuse.ts";
import { type AccessType, type SnapshotRecord, type Timestamp, timestampOf, type VolumeRecord } from "../state/records.ts";
import { chooseZone, isEverywhere, snapshotTopology } from "../topology.ts";
import { cutAtRest } from "./cut-at-rest.ts";

/** Whether a snapshot can be restored: one of a group becomes ready with its group. */
export function isReady({ scripted, state }: Backend, snapshot: SnapshotRecord): boolean {
  const group = snapshot.groupId ? state.groups.get(snapshot.groupId) : undefined;
  return scripted.isReady(snapshot) && (!group || scripted.isReady(group));
}

/** A snapshot as answers show it. */
export function snapshotResponse(backend: Backend, snapshot: SnapshotRecord) {
  return {
    snapshotId: snapshot.id,
    sourceVolumeId: snapshot.volumeId,
    sizeBytes: snapshot.size,
    creationTime: snapshot.creationTime,
    readyToUse: isReady(backend, snapshot),
    groupSnapshotId: snapshot.groupId,
    accessibleTopology: snapshotTopology(backend.settings, snapshot),
  };
}

/** CreateSnapshot: the same name gives the same snapshot; repeated calls see it become ready. */
export async function createSnapshot(backend: Backend, request: CreateSnapshotRequest) {
  const { state, locks, scripted } = backend;
  const { name, sourceVolumeId } = request;
  requireFields({ name, source_volume_id: sourceVolumeId });
  return locks.run([snapshotNameLock(name), volumeLock(sourceVolumeId, true)], async () => {
    const existing = state.snapshots.named(name);
    if (existing) {
      if (existing.volumeId !== sourceVolumeId) {
        refuse("AlreadyExists", `snapshot with the same name: ${name} but with different source volume already exist`);
      }
      return { snapshot: snapshotResponse(backend, await followUp(backend, existing)) };
    }
    if (backend.settings.snapshotTopology) chooseZone(backend.settings, request.accessibilityRequirements);
    const readyToUse = scripted.snapshotReadyAfter === undefined;
    const { made, written } = await cutAtRest(
      backend,
      [volumeById(backend, sourceVolumeId)],
      () => cut(backend, request, { creationTime: timestampOf(backend.clock.now()), groupId: "", readyToUse }),
      ({ move }) => move.rollback(),
    );
    const { record, move } = made;
    if (written) backend.log.info("Volume never rests: its snapshot may show different moments of different files", { volume: written.id });
    // Before anybody can see it.
    scripted.cut(record.id, scripted.snapshotReadyAfter);
    await commitWith(backend, [move], [{ put: "snapshot", record }]);
    return { snapshot: snapshotResponse(backend, record) };
  });
}

/** A snapshot that was asked for again: notes when it has become ready. */
async function followUp(backend: Backend, snapshot: SnapshotRecord): Promise<SnapshotRecord> {
  if (snapshot.readyToUse) return snapshot;
  backend.scripted.askedAgain(snapshot.id);
  if (!backend.scripted.isReady(snapshot)) return snapshot;
  const record = { ...snapshot, readyToUse: true };
  await backend.state.commit([{ put: "snapshot", record }]);
  return record;
}

/** What a snapshot has of its volume. */
export function inherited(volume: VolumeRecord): Pick<SnapshotRecord, "volumeId" | "size" | "accessType" | "everywhere"> {
  return { volumeId: volume.id, size: volume.size, accessType: volume.accessType, everywhere: isEverywhere(volume) };
}

/** Makes the data of a snapshot; the caller commits it. */
export async function cut(
  backend: Backend,
  { name, sourceVolumeId, parameters }: Pick<CreateSnapshotRequest, "name" | "sourceVolumeId" | "parameters">,
  facts: { readonly creationTime: Timestamp; readonly groupId: string; readonly readyToUse: boolean },
): Promise<{ readonly record: SnapshotRecord; readonly move: PendingMove }> {
  const volume = volumeById(backend, sourceVolumeId);
  const options = snapshotOptions(parameters, volume.accessType);
  const id = backend.newId();
  const path = backend.data.snapshotPath(id);
  const move = await backend.data.createSnapshot({ id, path }, volume, options);
  return { record: { id, name, path, ...inherited(volume), ...facts }, move };
}

/** DeleteSnapshot: one that is not there is deleted; a member of a group is deleted with its group only. */
export async function deleteSnapshot(backend: Backend, { snapshotId }: { readonly snapshotId: string }) {
  requireFields({ snapshot_id: snapshotId });
  const name = backend.state.snapshots.get(snapshotId)?.name;
  await backend.locks.run([snapshotLock(snapshotId), ...(name === undefined ? [] : [snapshotNameLock(name)])], async () => {
    const snapshot = backend.state.snapshots.get(snapshotId);
    if (!snapshot) return;
    if (snapshot.groupId) {
      refuse("InvalidArgument", `snapshot ${snapshotId} belongs to group snapshot ${snapshot.groupId} and can only be deleted with it`);
    }
    await commitWith(backend, [await backend.data.remove(snapshot.path)], [{ remove: "snapshot", id: snapshotId }]);
  });
  return {};
}

/** GetSnapshot: one that is not ready counts this call too. */
export function getSnapshot(backend: Backend, { snapshotId }: { readonly snapshotId: string }) {
  requireFields({ snapshot_id: snapshotId });
  backend.scripted.askedAgain(snapshotId);
  return { snapshot: snapshotResponse(backend, snapshotById(backend, snapshotId)) };
}

/** How a snapshot is made, from the parameters of its class. `ignoreFailedRead` says nothing to block volumes. */
export function snapshotOptions(
  { ignoreFailedRead }: Readonly<Record<string, string>>,
  accessType: AccessType,
): { readonly ignoreFailedRead: boolean } {
  if (ignoreFailedRead === undefined || accessType === "block") return { ignoreFailedRead: false };
  const value =
    parseBoolean(ignoreFailedRead) ??
    refuse("InvalidArgument", `parameter ignoreFailedRead: ${JSON.stringify(ignoreFailedRead)} is neither true nor false`);
  return { ignoreFailedRead: value };
}
