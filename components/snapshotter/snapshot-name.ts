import { uidPart } from "@csi-sidecars/controller";

/** How snapshots are named: `--snapshot-name-prefix` and `--snapshot-name-uuid-length`, or the same of group snapshots. */
export interface SnapshotNaming {
  readonly prefix: string;
  readonly uuidLength: number;
}

/** The name that the driver is told: always the same for one VolumeSnapshot, so that a repeated call is known to be the same. */
export function snapshotName({ prefix, uuidLength }: SnapshotNaming, uid: string): string {
  return `${prefix}-${uidPart(uid, uuidLength)}`;
}
