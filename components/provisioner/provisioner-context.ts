import type { Clock, Logger } from "@csi-sidecars/base";
import type { KeyedMutex, LoadSignal } from "@csi-sidecars/controller";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Client, StoreReader } from "@csi-sidecars/kube";
import type { VolumeChange } from "./capacity/volume-change.ts";
import type { DriverFacts } from "./driver-facts.ts";
import type { Events } from "./events.ts";
import type { Attachment, Claim, Class, Grant, Volume } from "./fields.ts";
import type { Memory } from "./memory.ts";
import type { ProvisionerMetrics } from "./metrics.ts";
import type { OwnNode } from "./node/own-node.ts";
import type { UnsavedVolumes } from "./provision/unsaved-volumes.ts";
import type { Settings } from "./settings.ts";
import type { NodeTopologies } from "./topology/node-topologies.ts";

/** What the parts of the component share. */
export interface ProvisionerContext {
  readonly driver: DriverFacts;
  readonly controller: DriverClient["controller"];
  readonly settings: Settings;
  /** Which run of which provisioner this is: an attribute of the volumes it makes. */
  readonly identity: string;
  /** What other controllers of this process want on new volumes. */
  readonly neighbourFinalizers: readonly string[];
  readonly kube: Client;
  readonly claims: Pick<StoreReader<Claim>, "get">;
  /** The unbound claim of this uid. */
  claimOf(uid: string): Claim | undefined;
  readonly volumes: Pick<StoreReader<Volume>, "get" | "list">;
  readonly classes: Pick<StoreReader<Class>, "get">;
  attachmentsOf(volume: string): readonly Attachment[];
  /** The claims that wait to be filled from a snapshot (`namespace/name`). */
  restoresOf(snapshot: string): readonly Claim[];
  /** A clone of this claim (`namespace/name`) is made or given up after its own claim went: the source may be let go. */
  cloneEnded(source: string): void;
  grantsIn(namespace: string): readonly Grant[];
  /** Only for a driver with topology. */
  readonly nodes: NodeTopologies | undefined;
  /** Only in a node deployment. */
  readonly ownNode: OwnNode | undefined;
  readonly memory: Memory;
  /** By the claim's uid: a claim and its volume are never worked on at the same time. */
  readonly locks: KeyedMutex;
  readonly unsaved: UnsavedVolumes;
  readonly events: Events;
  readonly metrics: ProvisionerMetrics;
  /** How often in a row the work on a claim (by uid) or on a volume (by name) has failed. */
  failuresOf(key: string): number;
  /** Is told how calls to the driver ended. */
  pace(of: "claims" | "volumes", sign: LoadSignal): void;
  /** Is told of volumes that the driver made, may have made, or deleted: its room has changed. */
  roomChanged(change: VolumeChange): void;
  readonly clock: Clock;
  readonly log: Logger;
}
