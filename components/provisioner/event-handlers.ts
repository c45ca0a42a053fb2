import { Debounce } from "@csi-sidecars/controller";
import { keyOf, type Priority } from "@csi-sidecars/kube";
import { type Caches, isUnfinished } from "./caches.ts";
import type { Claim, Volume } from "./fields.ts";
import { enqueueIfOrphaned, recoversOrphans } from "./provision/orphan-recovery.ts";
import type { ProvisionerContext } from "./provisioner-context.ts";
import { awaitsClones } from "./source/clone-protection.ts";
import { pendingSource } from "./source/data-source.ts";
import type { WatchedTopologies } from "./topology/node-topologies.ts";
import { planVolume } from "./volume/plan-volume.ts";
import { isProtected } from "./volume/volume-finalizer.ts";

/** As upstream: what waits for something that no watch shows is reconciled again. */
const resyncMs = 15 * 60_000;

type WatchedCaches = Pick<Caches, "claims" | "volumes" | "classes" | "attachments">;

/** Turns watch events into queue keys. What needs no work costs nothing: neither a start nor a resync enqueues it. */
export function addEventHandlers(c: ProvisionerContext, caches: WatchedCaches): void {
  addClaimHandlers(c, caches);
  addVolumeHandlers(c, caches);
}

function addClaimHandlers(c: ProvisionerContext, { claims, classes }: WatchedCaches): void {
  const { driver, state, controllers } = c;
  const enqueue = (claim: Claim, priority: Priority = "normal") => {
    if (isUnfinished(claim, driver)) controllers.claims.enqueue(claim.metadata.uid, priority);
    if (driver.clonesVolumes && awaitsClones(claim)) controllers.cloneSources.enqueue(keyOf(claim), priority);
  };
  const enqueueSourceOf = (claim: Claim) => {
    const source = driver.clonesVolumes ? pendingSource(claim, "PersistentVolumeClaim") : undefined;
    if (source !== undefined) controllers.cloneSources.enqueue(source);
  };
  const recordsStart = recoversOrphans(c);
  claims.addHandler(
    {
      onAdd(claim, { initial }) {
        if (initial && recordsStart && isUnfinished(claim, driver)) state.claimFoundAtStart(claim.metadata.uid);
        enqueue(claim, initial ? "low" : "normal");
      },
      onUpdate(old, claim) {
        if (old === claim) return enqueue(claim, "low");
        if (claim.spec?.volumeName) state.claimBoundOrGone(claim.metadata.uid);
        if (state.missedReschedule(claim) || claimState(old) !== claimState(claim)) enqueue(claim);
        if (pendingSource(claim, "PersistentVolumeClaim") === undefined) enqueueSourceOf(old);
      },
      onDelete(claim) {
        const { uid } = claim.metadata;
        const isEnqueued = enqueueIfOrphaned(c, claim);
        state.claimBoundOrGone(uid);
        if (!isEnqueued && !state.isInProgress(uid)) controllers.claims.queue.forget(uid);
        enqueueSourceOf(claim);
      },
    },
    { resyncMs, name: "provisioner" },
  );
  classes.addHandler(
    {
      onAdd({ metadata }, { initial }) {
        if (initial) return;
        for (const claim of c.claimsOfClass(metadata.name)) controllers.claims.enqueue(claim.metadata.uid);
      },
    },
    { name: "provisioner" },
  );
}

function addVolumeHandlers(
  { driver, state, controllers, unfinishedClaim }: ProvisionerContext,
  { volumes, attachments }: WatchedCaches,
): void {
  const enqueue = (volume: Volume, priority: Priority = "normal") => {
    if (state.deletionProgress(volume.metadata.uid) === "none") return;
    if (planVolume(volume, driver).step !== "none") controllers.volumes.enqueue(volume.metadata.name, priority);
  };
  volumes.addHandler(
    {
      onAdd: (volume, { initial }) => enqueue(volume, initial ? "low" : "normal"),
      onUpdate(old, volume) {
        if (old === volume) enqueue(volume, "low");
        else if (volumeState(old) !== volumeState(volume)) enqueue(volume);
      },
      onDelete({ metadata: { name, uid }, spec, status }) {
        state.persistentVolumeGone(uid);
        controllers.volumes.queue.forget(name);
        // A released volume's claim is gone, although the watch of claims may not have shown it yet: it needs no second volume.
        if (status?.phase === "Released") return;
        const claimUid = spec?.claimRef?.uid ?? "";
        state.volumeGone(claimUid, name);
        if (unfinishedClaim(claimUid)) controllers.claims.enqueue(claimUid);
      },
    },
    { resyncMs, name: "provisioner" },
  );
  attachments?.addHandler(
    {
      onDelete({ spec }) {
        const volume = volumes.get(spec.source.persistentVolumeName ?? "");
        if (volume) enqueue(volume);
      },
    },
    { name: "provisioner" },
  );
}

/** How long changes of nodes are gathered before claims without a usable node are retried: a millisecond for each claim, but this long at least. */
const minNodeDelayMs = 100;

/** Retries claims whose node had no usable topology when the nodes change. */
export function retryOnNodeChanges(
  { state, controllers, clock }: ProvisionerContext,
  topologies: WatchedTopologies,
  signal: AbortSignal,
): void {
  const retry = new Debounce({
    clock,
    delayMs: () => Math.max(minNodeDelayMs, state.nodeProblems.size),
    work() {
      for (const uid of state.nodeProblems.keys()) controllers.claims.enqueue(uid);
    },
  });
  const stopWatching = topologies.onChange(() => {
    if (state.nodeProblems.size > 0) retry.trigger();
  });
  signal.addEventListener("abort", () => {
    stopWatching();
    retry.stop();
  });
}

/** All that can make another attempt worthwhile before its backoff ends; our own finalizers are no part of it. */
function claimState({ metadata: { annotations, deletionTimestamp }, spec, status }: Claim): string {
  return JSON.stringify([annotations, deletionTimestamp, spec, status?.phase]);
}

function volumeState(volume: Volume): string {
  const { metadata, spec, status } = volume;
  return JSON.stringify([status?.phase, spec?.persistentVolumeReclaimPolicy, isProtected(volume), metadata.deletionTimestamp]);
}
