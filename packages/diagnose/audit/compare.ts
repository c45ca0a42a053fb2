import { keyOf, type V1PersistentVolume, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { compareAttachments } from "./compare-attachments.ts";
import type { AuditFacts, AuditFilter } from "./facts.ts";
import { counts, lastPart } from "./filter.ts";
import { inTreeNames } from "./in-tree-names.ts";

/** Something that storage and cluster do not agree on. Fields may be added, never renamed: it is printed as JSON too. */
export interface Difference {
  readonly kind: "volume without PV" | "PV without volume" | "published without VolumeAttachment" | "VolumeAttachment not published";
  readonly volume: string;
  /** `PersistentVolume pvc-1`, `VolumeAttachment csi-1` */
  readonly object?: string;
  readonly node?: string;
  /** When the object was created, or the storage was first seen to have the volume. RFC 3339. */
  readonly since?: string;
  readonly note?: string;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Volumes without PV that are being made for a claim right now: no differences. */
  readonly inProgress: readonly Difference[];
  /** How many were compared. */
  readonly storageVolumes: number;
  readonly persistentVolumes: number;
}

/** Compares the volumes of a driver with the cluster's. Pure; see {@link AuditFacts} for what the two looks are for. */
export function compare(facts: AuditFacts, filter: AuditFilter): Comparison {
  const own = facts.volumes.filter(({ spec }) => spec?.csi?.driver === facts.driver && counts(spec.csi.volumeHandle, filter));
  const ids = [...facts.after.keys()].filter((id) => counts(id, filter));
  const owned = ownership(facts);
  const claimOf = namesakes(facts.pendingClaims ?? []);
  const without = ids.filter((id) => facts.before.has(id) && !owned(id)).map((id) => ownerless(id, claimOf(id), facts));
  const claimed = ({ note }: Difference) => note?.startsWith(making) === true;
  return {
    differences: [
      ...without.filter((difference) => !claimed(difference)),
      ...own.filter((volume) => !isInStorage(volume, facts)).map(volumeless),
      ...compareAttachments(facts, filter),
    ],
    inProgress: without.filter(claimed),
    storageVolumes: ids.length,
    persistentVolumes: own.length,
  };
}

const making = "is being made for claim";

function ownerless(volume: string, claim: V1PersistentVolumeClaim | undefined, { now, apartMs }: AuditFacts): Difference {
  const since = new Date(now - apartMs).toISOString();
  return { kind: "volume without PV", volume, since, ...(claim && { note: `${making} ${keyOf(claim)}` }) };
}

/** Most drivers keep the name that the provisioner gave a volume, which has the claim's uid in it, with or without dashes. */
function namesakes(claims: readonly V1PersistentVolumeClaim[]): (volume: string) => V1PersistentVolumeClaim | undefined {
  const byUid = new Map<string, V1PersistentVolumeClaim>();
  for (const claim of claims) {
    const { uid } = claim.metadata ?? {};
    if (uid) byUid.set(uid, claim).set(uid.replaceAll("-", ""), claim);
  }
  const lengths = new Set([...byUid.keys()].map(({ length }) => length));
  return (volume) => {
    for (const length of lengths) {
      for (let at = 0; at + length <= volume.length; at++) {
        const claim = byUid.get(volume.slice(at, at + length));
        if (claim) return claim;
      }
    }
    return undefined;
  };
}

function volumeless({ metadata, spec, status }: V1PersistentVolume): Difference {
  const going =
    metadata?.deletionTimestamp !== undefined || (status?.phase === "Released" && spec?.persistentVolumeReclaimPolicy === "Delete");
  const claim = spec?.claimRef;
  const phase = `${status?.phase ?? "Pending"}${claim?.name ? `, claim ${claim.namespace}/${claim.name}` : ""}`;
  return {
    kind: "PV without volume",
    volume: spec?.csi?.volumeHandle ?? "",
    object: `PersistentVolume ${metadata?.name}`,
    ...(metadata?.creationTimestamp && { since: metadata.creationTimestamp }),
    note: going ? `${phase}, being deleted` : phase,
  };
}

function isInStorage({ spec }: V1PersistentVolume, { before, after }: AuditFacts): boolean {
  const id = spec?.csi?.volumeHandle ?? "";
  return before.has(id) || after.has(id);
}

/** Which volumes a PersistentVolume stands for. */
function ownership({ volumes, driver }: AuditFacts): (id: string) => boolean {
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
