import type { Clock, Logger } from "@csi-sidecars/base";
import type { AdaptiveConcurrency, Controller, KeyedMutex } from "@csi-sidecars/controller";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Client, StoreReader } from "@csi-sidecars/kube";
import type { VolumeChange } from "./capacity/affected-items.ts";
import type { DriverInfo } from "./driver-capabilities.ts";
import type { Events } from "./events.ts";
import type { Attachment, Claim, Class, Grant, Volume } from "./fields.ts";
import type { ProvisionerMetrics } from "./metrics.ts";
import type { LocalNode } from "./node/local-node.ts";
import type { ProvisionerState } from "./provisioner-state.ts";
import type { Settings } from "./settings.ts";
import type { NodeTopologies } from "./topology/node-topologies.ts";

/** The control loops, each with its queue. */
export interface Controllers {
  /** Creates volumes; keys are uids of claims. */
  readonly claims: Controller;
  /** Protects and deletes volumes; keys are names of PersistentVolumes. */
  readonly volumes: Controller;
  /** Releases clone sources; keys are those of the claims that are cloned. */
  readonly cloneSources: Controller;
  /** Saves PersistentVolumes that could not be saved at once; keys are their names. */
  readonly unsavedVolumes: Controller;
}

/** What the caches know, by index. */
export interface CacheLookups {
  /** The claim of this uid, unless it is bound and has no in-progress finalizer. */
  unfinishedClaim(uid: string): Claim | undefined;
  /** The unfinished claims of a class. */
  claimsOfClass(name: string): readonly Claim[];
  /** The pending claims that are to be restored from a snapshot (`namespace/name`). */
  claimsRestoring(snapshot: string): readonly Claim[];
  /** The pending claims that are to be cloned from a claim (`namespace/name`). */
  claimsCloning(source: string): readonly Claim[];
  attachmentsOf(volume: string): readonly Attachment[];
  grantsIn(namespace: string): readonly Grant[];
}

/** What the parts of the component share. */
export interface ProvisionerContext extends CacheLookups {
  readonly driver: DriverInfo;
  readonly csiController: DriverClient["controller"];
  readonly settings: Settings;
  /** Which run of which provisioner this is: an attribute of the volumes it creates. */
  readonly identity: string;
  /** Finalizers that other controllers of this process want on new volumes. */
  readonly otherFinalizers: readonly string[];
  readonly kube: Client;
  readonly claims: Pick<StoreReader<Claim>, "get">;
  readonly volumes: Pick<StoreReader<Volume>, "get" | "list">;
  readonly classes: Pick<StoreReader<Class>, "get">;
  /** Only for a driver with topology. */
  readonly nodes: NodeTopologies | undefined;
  /** Only in a node deployment. */
  readonly localNode: LocalNode | undefined;
  readonly state: ProvisionerState;
  readonly controllers: Controllers;
  /** How many calls of CreateVolume and of DeleteVolume run at the same time. */
  readonly concurrency: Readonly<Record<"claims" | "volumes", AdaptiveConcurrency>>;
  /** By the claim's uid: a claim and its volume are never worked on at the same time. */
  readonly locks: KeyedMutex;
  /** Only where capacity is published: it changes with every volume that is created, may have been created, or is deleted. */
  readonly capacity: { volumeChanged(change: VolumeChange): void } | undefined;
  readonly events: Events;
  readonly metrics: ProvisionerMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}
