import { installSnapshotKinds } from "@csi-sidecars/controller";
import type { KindNeed } from "@csi-sidecars/host";
import { VolumeGroupSnapshotClass, VolumeGroupSnapshotContent, VolumeSnapshotClass, VolumeSnapshotContent } from "@csi-sidecars/kube";

/** Without these, nothing can be done. */
export const snapshotKinds = [VolumeSnapshotContent, VolumeSnapshotClass];
/** Without these, there are no group snapshots. */
export const groupSnapshotKinds = [VolumeGroupSnapshotContent, VolumeGroupSnapshotClass];

export const snapshotterKinds: readonly KindNeed[] = [
  { kinds: snapshotKinds, without: "no snapshots are taken or deleted until they are installed", remedy: installSnapshotKinds },
  {
    kinds: groupSnapshotKinds,
    without: "no group snapshots are taken or deleted until they are installed; single snapshots are",
    remedy: installSnapshotKinds,
    optional: true,
    gate: "CSIVolumeGroupSnapshot",
  },
];
