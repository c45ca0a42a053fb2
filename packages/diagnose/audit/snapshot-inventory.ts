import { type DriverClient, listPages } from "@csi-sidecars/csi";
import {
  type KubeObject,
  type Resource,
  type V1VolumeGroupSnapshotContent,
  type V1VolumeSnapshotContent,
  VolumeGroupSnapshotContent,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { type ClusterReader, found, foundIn, type Lookup } from "../access/read-cluster.ts";
import { mapConcurrently } from "../access/time-limit.ts";

/** A snapshot as the driver lists it. */
export interface ListedSnapshot {
  readonly sourceVolumeId: string;
  /** The group snapshot that it was taken with; empty for none. */
  readonly groupSnapshotId: string;
  /** 0: the driver does not say it. */
  readonly sizeBytes?: bigint;
}

/** What ListSnapshots returned, by snapshot ids. */
export type ListedSnapshots = ReadonlyMap<string, ListedSnapshot>;

/** The snapshots of the storage, listed twice as the volumes are, and the contents of the cluster. */
export interface SnapshotInventory extends Contents {
  readonly before: ListedSnapshots;
  readonly after: ListedSnapshots;
}

interface Contents {
  readonly contents: readonly V1VolumeSnapshotContent[];
  readonly groupContents: readonly V1VolumeGroupSnapshotContent[];
}

/** All snapshots that the driver lists. No secrets are sent: they are never read. */
export async function listSnapshots(driver: Pick<DriverClient, "controller">, timeoutMs: number): Promise<ListedSnapshots> {
  const request = { maxEntries: 0, sourceVolumeId: "", snapshotId: "", secrets: {} };
  const read = (startingToken: string) => driver.controller.listSnapshots({ ...request, startingToken }, { timeoutMs });
  const listed = new Map<string, ListedSnapshot>();
  try {
    for await (const entries of listPages("ListSnapshots", read)) {
      for (const { snapshot } of entries) if (snapshot) listed.set(snapshot.snapshotId, snapshot);
    }
  } catch (error) {
    throw new Error("the driver's snapshots could not be listed (--snapshots=false compares volumes alone)", { cause: error });
  }
  return listed;
}

/** The contents of a driver. `missing`: the kind is not installed. Without those of groups, snapshots that they own would seem to be left over. */
export async function readContents(cluster: ClusterReader, driver: string): Promise<Lookup<Contents>> {
  const [contents, groupContents] = await Promise.all([cluster.list(VolumeSnapshotContent), cluster.list(VolumeGroupSnapshotContent)]);
  if (contents.state !== "found") return contents;
  if (groupContents.state === "unreadable") return groupContents;
  const isOwn = ({ spec }: V1VolumeSnapshotContent | V1VolumeGroupSnapshotContent) => spec?.driver === driver;
  return found({ contents: contents.value.filter(isOwn), groupContents: (foundIn(groupContents) ?? []).filter(isOwn) });
}

const concurrentReads = 8;

/** Without the contents whose snapshots are missing and that were deleted meanwhile: a snapshot is deleted in the storage before its content. */
export async function withoutDeleted(cluster: ClusterReader, inventory: SnapshotInventory): Promise<SnapshotInventory> {
  const { before, after, contents, groupContents } = inventory;
  const isMissing = (handle: string) => !before.has(handle) && !after.has(handle);
  const remaining = async <T extends KubeObject>(
    resource: Resource<T>,
    objects: readonly T[],
    handlesOf: (object: T) => readonly string[],
  ) => {
    const suspects = objects.filter((object) => handlesOf(object).some(isMissing));
    const lookups = await mapConcurrently(suspects, concurrentReads, ({ metadata }) =>
      cluster.get(resource, { name: metadata?.name ?? "" }),
    );
    const deleted = new Set(suspects.filter((_, at) => lookups[at]?.state === "missing"));
    return objects.filter((object) => !deleted.has(object));
  };
  return {
    ...inventory,
    contents: await remaining(VolumeSnapshotContent, contents, (content) => [handleOf(content) ?? ""].filter(Boolean)),
    groupContents: await remaining(VolumeGroupSnapshotContent, groupContents, memberHandles),
  };
}

/** The snapshot that a content names, where one is known. */
export function handleOf({ spec, status }: V1VolumeSnapshotContent): string | undefined {
  return status?.snapshotHandle ?? spec?.source?.snapshotHandle;
}

/** The snapshots that the content of a group names. */
export function memberHandles({ spec, status }: V1VolumeGroupSnapshotContent): readonly string[] {
  const taken = (status?.volumeSnapshotInfoList ?? []).flatMap(({ snapshotHandle }) => snapshotHandle ?? []);
  return taken.length > 0 ? taken : (spec?.source?.groupSnapshotHandles?.volumeSnapshotHandles ?? []);
}
