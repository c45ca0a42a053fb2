import type { Clock } from "@csi-sidecars/base";
import type { DriverClient } from "@csi-sidecars/csi";
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

/** What a driver says it has: volume ids, each with the node ids it is published to. */
export type PublishedVolumes = ReadonlyMap<string, readonly string[]>;

/**
 * What an audit compares. The cluster is read between two looks at the storage: what is only under way differs in one of them,
 * what is left over differs in both.
 */
export interface Inventory {
  readonly driver: string;
  /** Milliseconds since the epoch, of the last look. */
  readonly now: number;
  /** How long the first look was before the cluster was read. */
  readonly apartMs: number;
  readonly before: PublishedVolumes;
  readonly after: PublishedVolumes;
  /** All of the cluster: those of other drivers tell that a volume is not without owner. */
  readonly volumes: readonly V1PersistentVolume[];
  /** Those that the driver may be making volumes for; absent where they could not be read. */
  readonly pendingClaims?: readonly V1PersistentVolumeClaim[];
  /** Absent where the driver does not say where volumes are published, or they could not be read. */
  readonly attachments?: readonly V1VolumeAttachment[];
  readonly csiNodes?: readonly V1CSINode[];
}

export interface InventoryOptions {
  readonly cluster: ClusterReader;
  readonly driver: Pick<Driver, "name" | "client">;
  /** Whether the driver says where volumes are published. */
  readonly publishedNodes: boolean;
  readonly clock: Clock;
  readonly apartMs: number;
  readonly timeoutMs: number;
}

const atATime = 8;

/** Looks at the storage, waits, reads the cluster, looks at the storage again. `undefined`: PersistentVolumes could not be read. */
export async function takeInventory(context: InventoryOptions): Promise<Inventory | undefined> {
  const { cluster, driver, publishedNodes, clock, apartMs, timeoutMs } = context;
  const before = await listVolumes(driver.client, timeoutMs);
  if (apartMs > 0) await clock.sleep(apartMs);
  const [volumes, claims, attachments, csiNodes] = await Promise.all([
    cluster.list(PersistentVolume),
    cluster.list(PersistentVolumeClaim),
    publishedNodes ? cluster.list(VolumeAttachment) : undefined,
    publishedNodes ? cluster.list(CSINode) : undefined,
  ]);
  const all = foundIn(volumes);
  if (!all) return undefined;
  const after = await listVolumes(driver.client, timeoutMs);
  const isSuspect = ({ spec }: V1PersistentVolume) =>
    spec?.csi?.driver === driver.name && !before.has(spec.csi.volumeHandle) && !after.has(spec.csi.volumeHandle);
  const gone = new Set(await goneSince(cluster, all.filter(isSuspect)));
  const pendingClaims = foundIn(claims)?.filter((claim) => mayBeServed(claim, driver.name));
  const attached = foundIn(attachments);
  const nodes = foundIn(csiNodes);
  return {
    ...{ driver: driver.name, apartMs, before, after, now: clock.now() },
    volumes: all.filter((volume) => !gone.has(volume)),
    ...(pendingClaims && { pendingClaims }),
    ...(attached && { attachments: attached }),
    ...(nodes && { csiNodes: nodes }),
  };
}

/** Whether the driver may be making a volume for the claim. One that lost its volume, or names one, gets no other. */
function mayBeServed({ metadata, spec, status }: V1PersistentVolumeClaim, driver: string): boolean {
  if ((status?.phase ?? "Pending") !== "Pending" || spec?.volumeName) return false;
  const {
    [wellKnownAnnotation.provisioner]: stable,
    [wellKnownAnnotation.betaProvisioner]: beta,
    [wellKnownAnnotation.migratedTo]: migratedTo,
  } = metadata?.annotations ?? {};
  const provisioner = migratedTo ?? stable ?? beta;
  return provisioner === undefined || provisioner === driver;
}

/** A volume goes in the storage before its object does: those that went meanwhile are no differences. */
async function goneSince(cluster: ClusterReader, suspects: readonly V1PersistentVolume[]): Promise<readonly V1PersistentVolume[]> {
  const looks = await mapConcurrently(suspects, atATime, ({ metadata }) => cluster.get(PersistentVolume, { name: metadata?.name ?? "" }));
  return suspects.filter((_, at) => looks[at]?.state === "missing");
}

/** Everything that ListVolumes has, page by page. Entries that are no volumes are left out, as the attacher does. */
export async function listVolumes(driver: Pick<DriverClient, "controller">, timeoutMs: number): Promise<PublishedVolumes> {
  const found = new Map<string, readonly string[]>();
  const tokens = new Set<string>();
  for (let startingToken = ""; ; ) {
    const { entries, nextToken } = await driver.controller.listVolumes({ startingToken, maxEntries: 0 }, { timeoutMs });
    for (const { volume, status } of entries) if (volume) found.set(volume.volumeId, status?.publishedNodeIds ?? []);
    if (nextToken === "") return found;
    if (tokens.has(nextToken)) throw new Error(`the driver's ListVolumes returns the page ${JSON.stringify(nextToken)} more than once`);
    tokens.add(nextToken);
    startingToken = nextToken;
  }
}
