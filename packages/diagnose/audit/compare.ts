import { formatBytes } from "@csi-sidecars/base";
import {
  keyOf,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  type V1VolumeAttachment,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { compareSnapshots } from "./compare-snapshots.ts";
import type { Difference } from "./difference.ts";
import type { Inventory } from "./inventory.ts";
import { findByUid } from "./uids-in-ids.ts";
import { inTreeNames, isSelected, lastPart, type VolumeFilter } from "./volume-ids.ts";

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Volumes without PV that are being created for a claim right now: no differences. */
  readonly inProgress: readonly Difference[];
  /** Whether something was left out because it could not be read: that there are no differences does not say that all is well then. */
  readonly incomplete: boolean;
  /** How many were compared. */
  readonly storageVolumes: number;
  readonly persistentVolumes: number;
  /** Absent where snapshots were not compared. */
  readonly storageSnapshots?: number;
  readonly snapshotContents?: number;
}

/** Compares the volumes of a driver with the cluster's. Pure; see {@link Inventory} for why there are two lists. */
export function compare(inventory: Inventory, filter: VolumeFilter): Comparison {
  const own = inventory.volumes.filter(({ spec }) => spec?.csi?.driver === inventory.driver && isSelected(spec.csi.volumeHandle, filter));
  const ids = [...inventory.after.keys()].filter((id) => isSelected(id, filter));
  const owned = ownership(inventory);
  const claimOf = findByUid(inventory.pendingClaims ?? [], ({ metadata }) => metadata?.uid);
  const without = ids.filter((id) => inventory.before.has(id) && !owned(id)).map((id) => withoutPv(id, claimOf(id), inventory));
  const snapshots = inventory.snapshots && compareSnapshots(inventory.snapshots, filter, firstSeen(inventory));
  const claimed = ({ note }: Difference) => note?.startsWith(creating) === true;
  return {
    differences: [
      ...without.filter((difference) => !claimed(difference)),
      ...own.filter((volume) => !isInStorage(volume, inventory)).map(withoutVolume),
      ...compareAttachments(inventory, filter),
      ...(snapshots?.differences ?? []),
    ],
    inProgress: [...without.filter(claimed), ...(snapshots?.inProgress ?? [])],
    incomplete: (inventory.unread ?? []).length > 0,
    storageVolumes: ids.length,
    persistentVolumes: own.length,
    ...(snapshots && { storageSnapshots: snapshots.storageSnapshots, snapshotContents: snapshots.contents }),
  };
}

const creating = "is being created for claim";

/** When the storage was first seen to have what is in both lists. */
function firstSeen({ now, pauseMs }: Inventory): string {
  return new Date(now - pauseMs).toISOString();
}

function withoutPv(volume: string, claim: V1PersistentVolumeClaim | undefined, inventory: Inventory): Difference {
  const bytes = inventory.sizes?.get(volume);
  const size = bytes === undefined ? undefined : formatBytes(bytes);
  return {
    kind: "volume without PV",
    volume,
    since: firstSeen(inventory),
    ...(size && { size }),
    ...(claim && { note: `${creating} ${keyOf(claim)}` }),
  };
}

function withoutVolume({ metadata, spec, status }: V1PersistentVolume): Difference {
  const isBeingDeleted =
    metadata?.deletionTimestamp !== undefined || (status?.phase === "Released" && spec?.persistentVolumeReclaimPolicy === "Delete");
  const claim = spec?.claimRef;
  const phase = `${status?.phase ?? "Pending"}${claim?.name ? `, claim ${claim.namespace}/${claim.name}` : ""}`;
  return {
    kind: "PV without volume",
    volume: spec?.csi?.volumeHandle ?? "",
    object: `PersistentVolume ${metadata?.name}`,
    ...(spec?.capacity?.storage && { size: String(spec.capacity.storage) }),
    ...(metadata?.creationTimestamp && { since: metadata.creationTimestamp }),
    note: isBeingDeleted ? `${phase}, being deleted` : phase,
  };
}

function isInStorage({ spec }: V1PersistentVolume, { before, after }: Inventory): boolean {
  const id = spec?.csi?.volumeHandle ?? "";
  return before.has(id) || after.has(id);
}

/** Which volumes a PersistentVolume stands for. */
function ownership({ volumes, driver }: Inventory): (id: string) => boolean {
  const handles = new Set<string>();
  const inTree = new Set<string>();
  for (const { spec } of volumes) {
    if (spec?.csi) {
      if (spec.csi.driver === driver) handles.add(spec.csi.volumeHandle);
    } else {
      for (const name of inTreeNames(spec)) inTree.add(name);
    }
  }
  return (id) => handles.has(id) || inTree.has(lastPart(id));
}

interface Attachment {
  readonly attachment: V1VolumeAttachment;
  readonly volume: string;
  /** As the driver names the node; `undefined` where it is unknown. */
  readonly nodeId: string | undefined;
}

/** Compares where the storage has published volumes with the cluster's VolumeAttachments. */
function compareAttachments(inventory: Inventory, filter: VolumeFilter): readonly Difference[] {
  if (!inventory.attachments || !inventory.csiNodes) return [];
  const known = attachmentsOf(inventory).filter(({ volume }) => isSelected(volume, filter));
  return [...publishedOnly(inventory, filter, known), ...attachedOnly(inventory, known)];
}

/**
 * A VolumeAttachment in any state accounts for a publication: it is created before the call and deleted after it. Where its node id is
 * unknown, it accounts for every node of the volume.
 */
function publishedOnly(inventory: Inventory, filter: VolumeFilter, known: readonly Attachment[]): readonly Difference[] {
  const { before, after } = inventory;
  const accounted = new Set(known.map(({ volume, nodeId }) => JSON.stringify([volume, nodeId])));
  const inTree = attachedInTree(inventory);
  return [...after]
    .filter(
      ([volume]) => isSelected(volume, filter) && !inTree.has(lastPart(volume)) && !accounted.has(JSON.stringify([volume, undefined])),
    )
    .flatMap(([volume, nodes]) =>
      nodes
        .filter((node) => before.get(volume)?.includes(node) && !accounted.has(JSON.stringify([volume, node])))
        .map((node): Difference => ({ kind: "published without VolumeAttachment", volume, node })),
    );
}

/** The volumes of attached PersistentVolumes that do not say how the driver calls them. */
function attachedInTree({ attachments = [], volumes, driver }: Inventory): ReadonlySet<string> {
  const attached = new Set(attachments.filter(({ spec }) => spec.attacher === driver).map(({ spec }) => spec.source.persistentVolumeName));
  return new Set(volumes.flatMap(({ metadata, spec }) => (attached.has(metadata?.name) ? inTreeNames(spec) : [])));
}

/** A volume that the storage does not have at all is reported as that alone. */
function attachedOnly({ before, after }: Inventory, known: readonly Attachment[]): readonly Difference[] {
  return known.flatMap(({ attachment, volume, nodeId }): readonly Difference[] => {
    const { metadata, status, spec } = attachment;
    const settled = status?.attached && !metadata?.deletionTimestamp && nodeId !== undefined && before.has(volume) && after.has(volume);
    if (!settled || before.get(volume)?.includes(nodeId) || after.get(volume)?.includes(nodeId)) return [];
    return [
      {
        kind: "VolumeAttachment not published",
        volume,
        object: `VolumeAttachment ${metadata?.name}`,
        node: spec.nodeName,
        ...(metadata?.creationTimestamp && { since: metadata.creationTimestamp }),
      },
    ];
  });
}

function attachmentsOf({ attachments = [], volumes, csiNodes = [], driver }: Inventory): readonly Attachment[] {
  const handles = new Map(volumes.map(({ metadata, spec }) => [metadata?.name, spec?.csi?.volumeHandle]));
  const nodeIds = new Map(csiNodes.map(({ metadata, spec }) => [metadata?.name, spec.drivers.find(({ name }) => name === driver)?.nodeID]));
  return attachments
    .filter(({ spec }) => spec.attacher === driver)
    .flatMap((attachment) => {
      const { nodeName, source } = attachment.spec;
      const volume = source.persistentVolumeName ? handles.get(source.persistentVolumeName) : source.inlineVolumeSpec?.csi?.volumeHandle;
      const nodeId = nodeIds.get(nodeName) ?? attachment.metadata?.annotations?.[wellKnownAnnotation.nodeId];
      return volume === undefined ? [] : [{ attachment, volume, nodeId }];
    });
}
