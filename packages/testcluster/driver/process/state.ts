import type { ScriptedDriver } from "../scripted-driver.ts";
import type { StoredGroup, StoredSnapshot, StoredVolume } from "../storage/storage.ts";

/** A volume as plain data. */
export interface VolumeState extends Omit<StoredVolume, "published" | "staged" | "mounted"> {
  readonly publishedTo: readonly string[];
  readonly staged: readonly string[];
  readonly mounted: readonly string[];
}

/** All that the storage of a driver holds, as plain data. */
export interface DriverState {
  readonly running: boolean;
  readonly volumes: readonly VolumeState[];
  readonly snapshots: readonly StoredSnapshot[];
  readonly groups: readonly StoredGroup[];
}

/** The state of a driver now. */
export function stateOf(driver: ScriptedDriver): DriverState {
  const volumes = [...driver.volumes.values()].map(({ published, staged, mounted, ...volume }) => ({
    ...volume,
    publishedTo: [...published.keys()],
    staged: [...staged],
    mounted: [...mounted],
  }));
  return { running: driver.running, volumes, snapshots: [...driver.snapshots.values()], groups: [...driver.groups.values()] };
}
