import { secondsSince } from "@csi-sidecars/base";
import { apiCallOptions, done, type Reconcile, type ReconcileResult, requeueAfter } from "@csi-sidecars/controller";
import { ignoreNotFound, keyOf, PersistentVolume, PersistentVolumeClaim, storageClassName } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { sourceKey } from "../provisioner-state.ts";
import { volumeWithHandle } from "../volume/volume-handle.ts";
import { volumeName } from "../volume-name.ts";
import { createVolume } from "./create-volume.ts";
import { handleCreateFailure, reportFailure } from "./handle-create-failure.ts";
import { removeFinalizerWhenSaved } from "./in-progress-finalizer.ts";
import { prepareRequest } from "./prepare-request.ts";
import type { CreateOutcome, ProvisionRequest } from "./provision-request.ts";
import { saveVolume } from "./save-volume.ts";

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
      const existing = await checkExistingVolume(c, claim, signal);
      switch (existing.kind) {
        case "other-claims": {
          const error = new Error(messages.volumeOfOtherClaim(existing.name));
          reportFailure(c, claim, error, signal);
          throw error;
        }
        case "provisioned":
          c.state.outcomeCertain(uid);
          await removeFinalizerWhenSaved(c, claim, signal);
          return done;
        case "deleted":
          c.state.volumeGone(uid);
          break;
        case "none":
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

/**
 * What is known of the claim's PersistentVolume. `provisioned`: it exists, or is being saved. `deleted`: it was saved, and is gone although
 * the claim waits for it. `other-claims`: two claims' volumes have the same shortened name.
 */
type ExistingVolume = { readonly kind: "none" | "provisioned" | "deleted" } | { readonly kind: "other-claims"; readonly name: string };

async function checkExistingVolume(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<ExistingVolume> {
  const { uid } = claim.metadata;
  const name = volumeName(c.settings.naming, uid).value;
  if (name === undefined) return { kind: "none" };
  const volume = c.volumes.get(name);
  if (volume) {
    if (volume.spec?.claimRef?.uid !== uid) return { kind: "other-claims", name };
    // An earlier process has saved it. When it goes with its claim, the cache may show that first.
    if (c.unfinishedClaim(uid)) c.state.volumeCreated(uid, name);
    return { kind: "provisioned" };
  }
  if (c.state.provisionedVolume(uid) === undefined) return { kind: "none" };
  if (c.state.unsavedVolume(name)) return { kind: "provisioned" };
  return { kind: (await isVolumeDeleted(c, claim, name, signal)) ? "deleted" : "provisioned" };
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
  const isInUse = () => volumeWithHandle(c.volumes.list(), c.driver.name, outcome.volumeId) !== undefined;
  if (c.state.orphanCandidate(uid) && isInUse()) return done;
  const failure = await saveVolume(c, request, outcome, signal);
  if (failure) return handleCreateFailure(c, request, failure, signal);
  const seconds = secondsSince(c.clock, started);
  c.metrics.provisioned(claim, seconds);
  c.log.v(2).info("Provisioned the volume", { claim: keyOf(claim), volume: request.volumeName, volumeId: outcome.volumeId, seconds });
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
