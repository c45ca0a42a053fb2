import { apiCallOptions, done, type Reconcile, type ReconcileResult, requeueAfter } from "@csi-sidecars/controller";
import { ignoreNotFound, PersistentVolume, PersistentVolumeClaim, storageClassName } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { sourceKey } from "../provisioner-state.ts";
import { volumeName } from "../volume-name.ts";
import { persistentVolumeOf } from "./cleanup-volume.ts";
import { createVolume } from "./create-volume.ts";
import { handleCreateFailure, reportFailure } from "./handle-create-failure.ts";
import { removeFinalizerWhenSaved } from "./in-progress-finalizer.ts";
import { prepareRequest } from "./prepare-request.ts";
import type { CreateOutcome, ProvisionRequest } from "./provision-request.ts";
import { saveVolume, volumeOfOtherClaim } from "./save-volume.ts";

/**
 * Provisions the volume of a claim, named by its uid. A claim whose call may be running is worked on although it was deleted, until the
 * driver has answered: the volume then gets its PersistentVolume, is released and deleted like any other.
 */
export const reconcileClaim =
  (c: ProvisionerContext): Reconcile =>
  (uid, signal) =>
    c.locks.run(uid, async () => {
      const inProgress = c.state.requestInProgress(uid);
      const claim = c.unfinishedClaim(uid) ?? inProgress?.claim ?? c.state.orphanCandidate(uid)?.claim;
      if (!claim) return done;
      if (await hasVolume(c, claim, signal)) {
        await removeFinalizerWhenSaved(c, claim, signal);
        return done;
      }
      const delayMs = c.state.infeasibleDelay(uid, c.classes.get(storageClassName(claim))?.metadata.uid);
      if (delayMs !== undefined) return requeueAfter(delayMs);
      const started = c.clock.monotonic();
      let request = inProgress;
      try {
        if (!request) {
          const prepared = await prepareRequest(c, claim, signal);
          if (prepared.next === "stop") return prepared.result;
          request = prepared.request;
        }
        return await provision(c, request, started, signal);
      } finally {
        // Bound or gone meanwhile: the watch showed that before this attempt recorded what it learned.
        if (!c.unfinishedClaim(uid)) {
          c.state.claimBoundOrGone(uid);
          if (request?.source?.kind === "claim") c.controllers.cloneSources.enqueue(sourceKey(request.source));
        }
      }
    });

/** Whether the claim's PersistentVolume exists, or is being saved. */
async function hasVolume(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<boolean> {
  const { uid } = claim.metadata;
  const name = volumeName(c.settings.naming, uid).value;
  if (name === undefined) return false;
  const volume = c.volumes.get(name);
  if (!volume && c.state.provisionedVolume(uid) === undefined) return false;
  if (volume && volume.spec?.claimRef?.uid !== uid) {
    const error = new Error(volumeOfOtherClaim(name));
    reportFailure(c, claim, error, signal);
    throw error;
  }
  if (!volume && !c.state.unsavedVolume(name) && (await isVolumeDeleted(c, claim, name, signal))) {
    c.state.volumeGone(uid);
    return false;
  }
  c.state.outcomeCertain(uid);
  return true;
}

/**
 * Whether a PersistentVolume that was saved, and that no watch has shown yet, was deleted although its claim waits for it: it came and
 * went while the watch was interrupted. Almost always the watch is only behind, so the API server is asked; the watch will show a
 * claim that is gone or bound.
 */
async function isVolumeDeleted(c: ProvisionerContext, claim: Claim, volume: string, signal: AbortSignal): Promise<boolean> {
  const { name, namespace, uid } = claim.metadata;
  const options = apiCallOptions(signal);
  if (await ignoreNotFound(c.kube.get(PersistentVolume, { name: volume }, options))) return false;
  const fresh = await ignoreNotFound(c.kube.get(PersistentVolumeClaim, { name, ...(namespace && { namespace }) }, options));
  return fresh?.metadata?.uid === uid && !fresh?.spec?.volumeName;
}

/** Creates the volume and saves its PersistentVolume. */
async function provision(c: ProvisionerContext, request: ProvisionRequest, started: number, signal: AbortSignal): Promise<ReconcileResult> {
  const { claim } = request;
  const { uid } = claim.metadata;
  if (c.state.isInProgress(uid)) c.events.provisioning(claim);
  const outcome = await call(c, request, signal);
  if (outcome.kind !== "unchanged") {
    c.state.driverAnswered(uid);
    // The topology of a new volume is known; after a failure the scheduler has to know the capacity of all topologies of the class.
    const nodeAffinity = outcome.kind === "created" ? outcome.volume.spec?.nodeAffinity : undefined;
    c.capacity?.volumeChanged({ className: request.class.metadata.name, nodeAffinity });
  }
  if (outcome.kind !== "created") return handleCreateFailure(c, request, outcome, signal);
  const isInUse = () => persistentVolumeOf(c.volumes.list(), c.driver.name, outcome.volumeId) !== undefined;
  if (c.state.orphanCandidate(uid) && isInUse()) return done;
  const failure = await saveVolume(c, request, outcome, signal);
  if (failure) return handleCreateFailure(c, request, failure, signal);
  c.metrics.provisioned(claim, (c.clock.monotonic() - started) / 1000);
  return done;
}

async function call(c: ProvisionerContext, request: ProvisionRequest, signal: AbortSignal): Promise<CreateOutcome> {
  c.state.callStarted(request);
  try {
    return await createVolume(c, request, signal);
  } finally {
    c.state.callEnded(request.claim.metadata.uid);
  }
}
