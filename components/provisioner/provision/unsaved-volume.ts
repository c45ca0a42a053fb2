import type { V1PersistentVolume } from "@csi-sidecars/kube";

/** A volume that exists at the driver, and whose PersistentVolume could not be saved yet. */
export interface UnsavedVolume {
  readonly volume: V1PersistentVolume;
  /** How often that was tried. */
  readonly attempts: number;
  /** When it failed first, on the monotonic clock. */
  readonly since: number;
}

const lastingAttempts = 5;
const lastingMs = 30_000;

/** Whether users are to be warned. A single failure of the API server is over before anybody could do something about it. */
export function isLasting({ attempts, since }: UnsavedVolume, now: number): boolean {
  return attempts >= lastingAttempts || now - since >= lastingMs;
}
