import type { V1VolumeGroupSnapshotContent, V1VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { Outage } from "../resize/history.ts";

type AnyContent = V1VolumeSnapshotContent | V1VolumeGroupSnapshotContent;

/** Contents that were to go with their snapshot or group snapshot, which is gone. `known` are the uids of those that exist. */
export function orphans(contents: readonly AnyContent[], known: ReadonlySet<string>, outages: readonly Outage[]): readonly string[] {
  return contents.flatMap((content) => {
    const isLeft = content.spec?.deletionPolicy === "Delete" && !known.has(ownerUid(content));
    return isLeft && !mayBeSpared(content, outages) ? [`content ${content.metadata?.name} has no snapshot any more`] : [];
  });
}

function ownerUid({ spec }: AnyContent): string {
  if (spec === undefined) return "";
  if ("volumeGroupSnapshotRef" in spec) return spec.volumeGroupSnapshotRef?.uid ?? "";
  return ("volumeSnapshotRef" in spec && spec.volumeSnapshotRef?.uid) || "";
}

/** How long after an outage requests arrive that were on their way before it. */
const lateMs = 3_000;

/**
 * Whether a content was created by a request that was on its way during an outage, and the driver took its snapshot before the controller saw it.
 * If the process that let the snapshot go was killed, nobody knows any more that the content is late, and what is taken is never deleted on suspicion.
 */
function mayBeSpared({ metadata, status }: AnyContent, outages: readonly Outage[]): boolean {
  const isTaken = status !== undefined && ("snapshotHandle" in status || "volumeGroupSnapshotHandle" in status);
  const created = Date.parse(metadata?.creationTimestamp ?? "") - performance.timeOrigin;
  // The API server's times are whole seconds.
  return isTaken && outages.some(({ from, to }) => created + 1_000 >= from && created <= to + lateMs);
}
