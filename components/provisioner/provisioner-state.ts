import { failedAgain, type InfeasibleBackoff, isLaterVersion, type RepeatedFailure } from "@csi-sidecars/controller";
import { refKey, type V1PersistentVolume } from "@csi-sidecars/kube";
import type { Claim } from "./fields.ts";
import type { ProtectedSource, ProvisionRequest } from "./provision/provision-request.ts";

/** A volume that exists at the driver, and whose PersistentVolume could not be saved yet. */
export interface UnsavedVolume extends RepeatedFailure {
  readonly volume: V1PersistentVolume;
}

/**
 * What is true of the driver, not of one run of the component. It survives a restart of the component in the same process
 * (`ComponentContext.keep`); what a restart of the process must not lose, the in-progress finalizer keeps.
 */
export interface KeptState {
  /** By the claim's uid: the driver may be creating its volume, or have created it. The claim itself may be gone. */
  readonly inProgress: Map<string, ProvisionRequest>;
  /** By the name of the PersistentVolume. */
  readonly unsaved: Map<string, UnsavedVolume>;
}

export function newKeptState(): KeptState {
  return { inProgress: new Map(), unsaved: new Map() };
}

/** A claim that was deleted without a volume, and how often it is still tried to have the driver return one. */
export interface OrphanCandidate {
  readonly claim: Claim;
  readonly attempts: number;
}

/** How often this instance tried to become a claim's owner, and when it may try again. */
export interface OwnershipAttempt {
  readonly tries: number;
  readonly due: number;
}

/** What is left to do after the driver has deleted a volume; `none`: our finalizer is removed too. */
export type DeletionProgress = "object" | "none";

/**
 * All that is known about claims and volumes beside the caches, each change of it under a name. Entries go when the watch shows that the
 * claim is bound or gone, or that the volume is gone. Keys are uids unless stated otherwise.
 */
export class ProvisionerState {
  readonly #kept: KeptState;
  readonly #infeasible: InfeasibleBackoff;
  /** Calls of CreateVolume that run at this moment. */
  readonly #calls = new Map<string, ProvisionRequest>();
  /** The name of the claim's volume, until the claim is bound or gone. */
  readonly #provisioned = new Map<string, string>();
  readonly #nodeProblems = new Map<string, { readonly node: string; readonly problem: string; readonly since: number }>();
  /** The version in which the claim went back to the scheduler, until the watch shows that one or a later one. */
  readonly #rescheduled = new Map<string, string>();
  readonly #ownership = new Map<string, OwnershipAttempt>();
  readonly #foundAtStart = new Set<string>();
  readonly #orphans = new Map<string, OrphanCandidate>();
  readonly #releasedSources = new Set<string>();
  readonly #deleted = new Map<string, DeletionProgress>();

  constructor(kept: KeptState, infeasible: InfeasibleBackoff) {
    this.#kept = kept;
    this.#infeasible = infeasible;
  }

  /** The request whose outcome is uncertain: the driver must be asked for exactly the same volume until it answers. */
  requestInProgress(claim: string): ProvisionRequest | undefined {
    return this.#kept.inProgress.get(claim);
  }

  isInProgress(claim: string): boolean {
    return this.#kept.inProgress.has(claim);
  }

  get claimsInProgress(): readonly string[] {
    return [...this.#kept.inProgress.keys()];
  }

  callStarted(request: ProvisionRequest): void {
    this.#calls.set(request.claim.metadata.uid, request);
  }

  callEnded(claim: string): void {
    this.#calls.delete(claim);
  }

  /** The driver may have created the volume, or may still do so. */
  outcomeUncertain(request: ProvisionRequest): void {
    this.#kept.inProgress.set(request.claim.metadata.uid, request);
  }

  /** The driver has nothing running for the claim any more. */
  outcomeCertain(claim: string): void {
    this.#kept.inProgress.delete(claim);
  }

  /** The sources (`namespace/name`) that a call may be reading from, even if the claim it was made for is gone. */
  sourcesInUse(kind: ProtectedSource["kind"]): ReadonlySet<string> {
    const found = new Set<string>();
    for (const requests of [this.#kept.inProgress, this.#calls]) {
      for (const { source } of requests.values()) if (source?.kind === kind) found.add(sourceKey(source));
    }
    return found;
  }

  volumeCreated(claim: string, volume: string): void {
    this.#provisioned.set(claim, volume);
    this.#nodeProblems.delete(claim);
  }

  /** The claim's volume could not be saved, was deleted, or turned out to be another claim's. With a name, only that volume. */
  volumeGone(claim: string, volume?: string): void {
    if (volume === undefined || this.#provisioned.get(claim) === volume) this.#provisioned.delete(claim);
  }

  /** The name of the volume that was created for the claim. */
  provisionedVolume(claim: string): string | undefined {
    return this.#provisioned.get(claim);
  }

  /** The PersistentVolume that is still to be saved, by name. */
  unsavedVolume(name: string): V1PersistentVolume | undefined {
    return this.#kept.unsaved.get(name)?.volume;
  }

  get unsavedVolumes(): readonly string[] {
    return [...this.#kept.unsaved.keys()];
  }

  /** The PersistentVolume could not be saved. Returns how often and since when. */
  saveFailed(volume: V1PersistentVolume, now: number): UnsavedVolume {
    const name = volume.metadata?.name ?? "";
    const unsaved = { volume, ...failedAgain(this.#kept.unsaved.get(name), now) };
    this.#kept.unsaved.set(name, unsaved);
    return unsaved;
  }

  /** The PersistentVolume is saved, or never will be. */
  saveEnded(name: string): void {
    this.#kept.unsaved.delete(name);
  }

  /** The driver refused for good what the claim and its class ask for. */
  requestInfeasible(claim: string, storageClass: string): void {
    this.#infeasible.add(claim, storageClass);
  }

  /** Milliseconds until an infeasible request may be retried; `undefined`: now. Another class ends the delay. */
  infeasibleDelay(claim: string, storageClass: string | undefined): number | undefined {
    return this.#infeasible.remaining(claim, storageClass);
  }

  get infeasibleDelayMs(): number {
    return this.#infeasible.delayMs;
  }

  /** The claim's selected node has no usable topology. Returns since when it has had the same problem. */
  nodeProblemSeen(claim: string, node: string, problem: string, now: number): number {
    const before = this.#nodeProblems.get(claim);
    const since = before?.node === node && before.problem === problem ? before.since : now;
    this.#nodeProblems.set(claim, { node, problem, since });
    return since;
  }

  nodeProblemSolved(claim: string): void {
    this.#nodeProblems.delete(claim);
  }

  /** The claims whose node has no usable topology. */
  get nodeProblems(): ReadonlyMap<string, unknown> {
    return this.#nodeProblems;
  }

  /** The claim has no node in this version, which the watch has yet to show. */
  claimRescheduled(claim: string, version: string): void {
    this.#rescheduled.set(claim, version);
  }

  /**
   * Whether the watch left out the version without a node, as a new list does: the claim may have the same node as before, selected anew.
   * To be asked for every version that the watch shows.
   */
  missedReschedule({ metadata: { uid, resourceVersion } }: Claim): boolean {
    const version = this.#rescheduled.get(uid);
    if (version === undefined || isLaterVersion(version, resourceVersion)) return false;
    this.#rescheduled.delete(uid);
    return version !== resourceVersion;
  }

  /** Only in a node deployment. */
  ownershipAttempt(claim: string): OwnershipAttempt | undefined {
    return this.#ownership.get(claim);
  }

  ownershipAttempted(claim: string, attempt: OwnershipAttempt): void {
    this.#ownership.set(claim, attempt);
  }

  ownershipDecided(claim: string): void {
    this.#ownership.delete(claim);
  }

  /** The claim existed before this process did: an earlier one may have called the driver for it. */
  claimFoundAtStart(claim: string): void {
    this.#foundAtStart.add(claim);
  }

  /** Whether that is so, and the driver has not answered yet. */
  mayHaveEarlierCall(claim: string): boolean {
    return this.#foundAtStart.has(claim);
  }

  driverAnswered(claim: string): void {
    this.#foundAtStart.delete(claim);
  }

  /** The claim is gone, and the driver may have created a volume for it. */
  orphanSuspected(claim: Claim, attempts: number): void {
    this.#orphans.set(claim.metadata.uid, { claim, attempts });
  }

  orphanCandidate(claim: string): OrphanCandidate | undefined {
    return this.#orphans.get(claim);
  }

  /** The volume is found, there is none, or the driver will not be asked again. */
  orphanResolved(claim: string): void {
    this.#orphans.delete(claim);
  }

  /** Our finalizer is removed from a claim that was cloned. */
  sourceReleased(claim: string): void {
    this.#releasedSources.add(claim);
  }

  isSourceReleased(claim: string): boolean {
    return this.#releasedSources.has(claim);
  }

  /** The claim is bound or gone: what is known about its attempts is of no use any more, except that a call may be running. */
  claimBoundOrGone(claim: string): void {
    this.#foundAtStart.delete(claim);
    this.#provisioned.delete(claim);
    this.#infeasible.delete(claim);
    this.#nodeProblems.delete(claim);
    this.#rescheduled.delete(claim);
    this.#ownership.delete(claim);
    this.#releasedSources.delete(claim);
  }

  /** The driver is about to delete the claim's volume: no earlier process has left another, and the claim needs none. */
  volumeReleased(claim: string): void {
    this.#foundAtStart.delete(claim);
    this.#orphans.delete(claim);
  }

  volumeDeletedAtDriver(volume: string): void {
    this.#deleted.set(volume, "object");
  }

  volumeFinalizerRemoved(volume: string): void {
    this.#deleted.set(volume, "none");
  }

  /** What is left to do for a volume that the driver has deleted; `undefined`: it has not. */
  deletionProgress(volume: string): DeletionProgress | undefined {
    return this.#deleted.get(volume);
  }

  persistentVolumeGone(volume: string): void {
    this.#deleted.delete(volume);
  }

  /** How much is known of each kind: for metrics, and for tests that nothing is kept forever. */
  sizes() {
    return {
      inProgress: this.#kept.inProgress.size,
      unsaved: this.#kept.unsaved.size,
      calls: this.#calls.size,
      provisioned: this.#provisioned.size,
      infeasible: this.#infeasible.size,
      nodeProblems: this.#nodeProblems.size,
      rescheduled: this.#rescheduled.size,
      ownership: this.#ownership.size,
      foundAtStart: this.#foundAtStart.size,
      orphans: this.#orphans.size,
      releasedSources: this.#releasedSources.size,
      deleted: this.#deleted.size,
    };
  }
}

export function sourceKey({ ref }: ProtectedSource): string {
  return refKey(ref);
}
