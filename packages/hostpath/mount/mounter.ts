import type { Publication, VolumeRecord } from "../state/records.ts";

/** How volumes appear at their target paths. */
export type MountMode = "bind" | "symlink" | "none";

/** Puts volumes at target paths and takes them away again. Both may be repeated. */
export interface Mounter {
  readonly mode: MountMode;
  publish(volume: VolumeRecord, publication: Publication): Promise<void>;
  /** Never follows a link and never removes recursively: what is at the target may be somebody's data. */
  unpublish(volume: VolumeRecord, target: string): Promise<void>;
  /** Whether a volume is where it was published. */
  isPublished(volume: VolumeRecord, target: string): Promise<boolean>;
  /** Tells whoever holds the volume as a device that it has grown. */
  grown(volume: VolumeRecord): Promise<void>;
  /** Refuses to have a path removed in which something is mounted. */
  checkUnused(path: string): Promise<void>;
}
