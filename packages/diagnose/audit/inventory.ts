import type { Clock } from "@csi-sidecars/base";
import { type DriverClient, listPages } from "@csi-sidecars/csi";
import type { Driver } from "@csi-sidecars/host";
import {
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  type V1CSINode,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  type V1VolumeAttachment,
  VolumeAttachment,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { type ClusterReader, foundIn } from "../access/read-cluster.ts";
import { mapConcurrently } from "../access/time-limit.ts";
import { listSnapshots, readContents, type SnapshotInventory, withoutDeleted } from "./snapshot-inventory.ts";

/** What ListVolumes returned: volume ids, each with the ids of the nodes it is published to. */
type ListedVolumes = ReadonlyMap<string, readonly string[]>;

/**
 * What an audit compares. The volumes of the storage are listed before and after the cluster is read: what is in progress differs
 * in one of the lists, what is left over differs in both.
 */
export interface Inventory {
  readonly driver: string;
  /** When the second list was read, in milliseconds since the epoch. */
  readonly now: number;
  /** How long the first list was read before the cluster. */
  readonly pauseMs: number;
  readonly before: ListedVolumes;
  readonly after: ListedVolumes;
  /** All of the cluster: an in-tree PersistentVolume may own a volume too. */
  readonly volumes: readonly V1PersistentVolume[];
  /** Those that the driver may be creating volumes for; absent where they could not be read. */
  readonly pendingClaims?: readonly V1PersistentVolumeClaim[];
  /** Absent where the driver does not report where volumes are published, or they could not be read. */
  readonly attachments?: readonly V1VolumeAttachment[];
  readonly csiNodes?: readonly V1CSINode[];
  /** Of the storage's volumes, in bytes, where the driver says it. */
  readonly sizes?: ReadonlyMap<string, bigint>;
  /** Absent where the driver does not list snapshots, or their contents are not installed or could not be read. */
  readonly snapshots?: SnapshotInventory;
  /** What is not compared because the cluster's side of it could not be read. */
  readonly unread?: readonly ("publications" | "snapshots")[];
}

/** How much the driver has listed. */
export interface Listed {
  readonly volumes: number;
  /** Absent where they are not compared. */
  readonly snapshots: number | undefined;
}

interface InventoryOptions {
  readonly cluster: ClusterReader;
  readonly driver: Pick<Driver, "name" | "client">;
  /** Whether the driver reports where volumes are published. */
  readonly publishedNodes: boolean;
  /** Whether snapshots are to be compared too. */
  readonly snapshots: boolean;
  readonly clock: Clock;
  readonly pauseMs: number;
  readonly timeoutMs: number;
  /** Called before the pause, with how much was listed. */
  onPause?(listed: Listed): void;
}

const concurrentReads = 8;

/** Lists the volumes and snapshots of the storage, waits, reads the cluster, lists them again. `undefined`: PersistentVolumes could not be read. */
export async function takeInventory(context: InventoryOptions): Promise<Inventory | undefined> {
  const { cluster, driver, publishedNodes, clock, pauseMs, timeoutMs } = context;
  if (pauseMs > 0 && !(await mayBeListed(cluster))) return undefined;
  const sizes = new Map<string, bigint>();
  const before = await listVolumes(driver.client, timeoutMs, sizes);
  const snapshotsBefore = context.snapshots ? await listSnapshots(driver.client, timeoutMs) : undefined;
  if (pauseMs > 0) {
    context.onPause?.({ volumes: before.size, snapshots: snapshotsBefore?.size });
    await clock.sleep(pauseMs);
  }
  const [volumes, claims, attachments, csiNodes, contents] = await Promise.all([
    cluster.list(PersistentVolume),
    cluster.list(PersistentVolumeClaim),
    publishedNodes ? cluster.list(VolumeAttachment) : undefined,
    publishedNodes ? cluster.list(CSINode) : undefined,
    snapshotsBefore ? readContents(cluster, driver.name) : undefined,
  ]);
  const all = foundIn(volumes);
  if (!all) return undefined;
  const after = await listVolumes(driver.client, timeoutMs, sizes);
  const owners = foundIn(contents);
  const snapshots =
    snapshotsBefore && owners
      ? await withoutDeleted(cluster, { before: snapshotsBefore, after: await listSnapshots(driver.client, timeoutMs), ...owners })
      : undefined;
  const isSuspect = ({ spec }: V1PersistentVolume) =>
    spec?.csi?.driver === driver.name && !before.has(spec.csi.volumeHandle) && !after.has(spec.csi.volumeHandle);
  const deleted = new Set(await deletedSince(cluster, all.filter(isSuspect)));
  const pendingClaims = foundIn(claims)?.filter((claim) => mayBeProvisioned(claim, driver.name));
  const attached = foundIn(attachments);
  const nodes = foundIn(csiNodes);
  return {
    ...{ driver: driver.name, pauseMs, before, after, sizes, now: clock.now() },
    volumes: all.filter((volume) => !deleted.has(volume)),
    ...(pendingClaims && { pendingClaims }),
    ...(attached && { attachments: attached }),
    ...(nodes && { csiNodes: nodes }),
    ...(snapshots && { snapshots }),
    unread: [
      ...(attachments?.state === "unreadable" || csiNodes?.state === "unreadable" ? (["publications"] as const) : []),
      ...(contents?.state === "unreadable" ? (["snapshots"] as const) : []),
    ],
  };
}

/** Asked before the pause: whoever cannot list PersistentVolumes need not wait to be told so. */
async function mayBeListed(cluster: ClusterReader): Promise<boolean> {
  return (await cluster.list(PersistentVolume, { fieldSelector: "metadata.name=none" })).state === "found";
}

/** Whether the driver may be creating a volume for the claim. One that lost its volume, or names one, gets no other. */
function mayBeProvisioned({ metadata, spec, status }: V1PersistentVolumeClaim, driver: string): boolean {
  if ((status?.phase ?? "Pending") !== "Pending" || spec?.volumeName) return false;
  const {
    [wellKnownAnnotation.provisioner]: stable,
    [wellKnownAnnotation.betaProvisioner]: beta,
    [wellKnownAnnotation.migratedTo]: migratedTo,
  } = metadata?.annotations ?? {};
  const provisioner = migratedTo ?? stable ?? beta;
  return provisioner === undefined || provisioner === driver;
}

/** A volume is deleted in the storage before its object: those that were deleted meanwhile are no differences. */
async function deletedSince(cluster: ClusterReader, suspects: readonly V1PersistentVolume[]): Promise<readonly V1PersistentVolume[]> {
  const lookups = await mapConcurrently(suspects, concurrentReads, ({ metadata }) =>
    cluster.get(PersistentVolume, { name: metadata?.name ?? "" }),
  );
  return suspects.filter((_, at) => lookups[at]?.state === "missing");
}

/** All volumes that the driver lists, page by page. Entries without a volume are left out, as the attacher does. */
async function listVolumes(
  driver: Pick<DriverClient, "controller">,
  timeoutMs: number,
  sizes: Map<string, bigint>,
): Promise<ListedVolumes> {
  const read = (startingToken: string) => driver.controller.listVolumes({ startingToken, maxEntries: 0 }, { timeoutMs });
  const listed = new Map<string, readonly string[]>();
  for await (const entries of listPages("ListVolumes", read)) {
    for (const { volume, status } of entries) {
      if (!volume) continue;
      listed.set(volume.volumeId, status?.publishedNodeIds ?? []);
      if (volume.capacityBytes > 0n) sizes.set(volume.volumeId, volume.capacityBytes);
    }
  }
  return listed;
}
