import type { Clock } from "@csi-sidecars/base";
import type { Capabilities } from "../capabilities.ts";

/** What a driver is like; a test may change it while it runs. */
export interface Settings {
  readonly name: string;
  readonly vendorVersion: string;
  readonly clock: Clock;
  capabilities: Capabilities;
  /** Of the whole pool. */
  poolBytes: bigint;
  maximumVolumeBytes: bigint | undefined;
  nodeId: string;
  maxVolumesPerNode: number;
  /** Segments of the node that it runs on, and of volumes that no topology was asked for. */
  topology: Readonly<Record<string, string>>;
  /** The nodes that exist; any id is one if none are given. */
  nodes: readonly string[] | undefined;
  ready: boolean;
  /** Whether new snapshots can be used at once; if not, `driver.finishSnapshots()` makes them usable. */
  snapshotsReady: boolean;
}
