import type { VolumeContentSource } from "@csi-sidecars/csi";
import { type Backend, snapshotById, volumeById } from "../backend.ts";
import type { Content } from "../data/data.ts";
import { type LockRequest, snapshotLock, volumeLock } from "../locks.ts";
import { refuse } from "../refuse.ts";
import type { AccessType, VolumeRecord } from "../state/records.ts";
import { isReady } from "./snapshots.ts";

/** The ids in a request's content source; empty strings without one. */
export function parentsOf(source: VolumeContentSource | undefined): Pick<VolumeRecord, "parentSnapshotId" | "parentVolumeId"> {
  return {
    parentSnapshotId: source?.type?.$case === "snapshot" ? source.type.snapshot.snapshotId : "",
    parentVolumeId: source?.type?.$case === "volume" ? source.type.volume.volumeId : "",
  };
}

/** The source of a volume as answers show it. */
export function contentSourceOf(volume: Pick<VolumeRecord, "parentSnapshotId" | "parentVolumeId">): VolumeContentSource | undefined {
  if (volume.parentSnapshotId) return { type: { $case: "snapshot", snapshot: { snapshotId: volume.parentSnapshotId } } };
  if (volume.parentVolumeId) return { type: { $case: "volume", volume: { volumeId: volume.parentVolumeId } } };
  return undefined;
}

/** What must not be deleted while it is copied. */
export function sourceLocks(source: VolumeContentSource | undefined): LockRequest[] {
  const { parentSnapshotId, parentVolumeId } = parentsOf(source);
  return [
    ...(parentSnapshotId ? [snapshotLock(parentSnapshotId, true)] : []),
    ...(parentVolumeId ? [volumeLock(parentVolumeId, true)] : []),
  ];
}

/** Finds the source of a new volume and checks that it can be one. `size` 0 takes the size of the source. */
export function findContent(
  backend: Backend,
  source: VolumeContentSource | undefined,
  size: bigint,
  accessType: AccessType,
): { readonly content: Content; readonly size: bigint } {
  if (!source) return { content: { kind: "empty" }, size };
  const content = contentOf(backend, source);
  const parent = content.kind === "snapshot" ? content.snapshot : content.volume;
  const what = `${content.kind} ${parent.id}`;
  if (parent.accessType !== accessType) refuse("InvalidArgument", `${what} has access type ${parent.accessType}, not ${accessType}`);
  if (size === 0n) return { content, size: parent.size };
  if (parent.size > size) refuse("OutOfRange", `${what} of ${parent.size} bytes is larger than the requested ${size} bytes`);
  return { content, size };
}

function contentOf(backend: Backend, { type }: VolumeContentSource): Exclude<Content, { kind: "empty" }> {
  switch (type?.$case) {
    case "snapshot": {
      const snapshot = snapshotById(backend, type.snapshot.snapshotId);
      if (!isReady(backend, snapshot)) refuse("Aborted", `snapshot ${snapshot.id} is not yet ready to use`);
      return { kind: "snapshot", snapshot };
    }
    case "volume":
      return { kind: "volume", volume: volumeById(backend, type.volume.volumeId) };
    default:
      return refuse("InvalidArgument", "volume_content_source is neither a snapshot nor a volume");
  }
}
