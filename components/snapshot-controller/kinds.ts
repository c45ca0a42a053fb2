import { installSnapshotKinds } from "@csi-sidecars/controller";
import type { KindNeed } from "@csi-sidecars/host";
import {
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";

/** Without these, nothing can be done. */
export const snapshotKinds = [VolumeSnapshot, VolumeSnapshotContent, VolumeSnapshotClass];
/** Without these, there are no group snapshots. */
export const groupSnapshotKinds = [VolumeGroupSnapshot, VolumeGroupSnapshotContent, VolumeGroupSnapshotClass];

export const snapshotControllerKinds: readonly KindNeed[] = [
  { kinds: snapshotKinds, without: "no snapshots are bound until they are installed", remedy: installSnapshotKinds },
  {
    kinds: groupSnapshotKinds,
    without: "no group snapshots are bound until they are installed; single snapshots are",
    remedy: installSnapshotKinds,
    optional: true,
    gate: "CSIVolumeGroupSnapshot",
  },
];
