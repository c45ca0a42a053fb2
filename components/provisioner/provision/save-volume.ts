import { asError, messageOf } from "@csi-sidecars/base";
import { apiCallOptions, done, isLasting, type Reconcile } from "@csi-sidecars/controller";
import {
  type Client,
  isAbort,
  isAlreadyExists,
  isInvalid,
  PersistentVolume,
  refKey,
  TransportError,
  type V1PersistentVolume,
} from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { sourceKey } from "../provisioner-state.ts";
import { releaseSnapshot } from "../source/snapshot-protection.ts";
import { cleanupUnsavable } from "./cleanup-volume.ts";
import { removeFinalizerWhenSaved } from "./in-progress-finalizer.ts";
import type { CreateFailure, CreateOutcome, ProtectedSource, ProvisionRequest } from "./provision-request.ts";

/**
 * How an attempt to create a PersistentVolume ended. `other-claims`: the names of two claims' volumes were shortened to the same one, so
 * the driver was asked for the same volume twice. It goes when the other claim does, and must not be given to this one then.
 */
type SaveOutcome = { readonly kind: "saved" } | { readonly kind: "other-claims" | "invalid" | "failed"; readonly error: Error };

/**
 * Creates the PersistentVolume; its source and the claim are not held any longer. A volume that cannot be saved now is retried until it
 * is: it exists at the driver, and only this process knows. Returns why there will be no PersistentVolume.
 */
export async function saveVolume(
  c: ProvisionerContext,
  request: ProvisionRequest,
  { volume, volumeId }: Extract<CreateOutcome, { kind: "created" }>,
  signal: AbortSignal,
): Promise<CreateFailure | undefined> {
  const { claim, source } = request;
  const { uid } = claim.metadata;
  c.state.volumeCreated(uid, request.volumeName);
  const outcome = await createObject(c.kube, volume, signal);
  switch (outcome.kind) {
    case "other-claims":
      c.state.volumeGone(uid);
      return { kind: "final", error: outcome.error };
    case "invalid":
      c.state.volumeGone(uid);
      return cleanupUnsavable(c, request, { volumeId, refusal: outcome.error }, signal);
    case "failed":
      c.log.error(outcome.error, "Could not save the PersistentVolume; it is retried", { volume: request.volumeName });
      saveFailed(c, volume, outcome.error);
      c.controllers.unsavedVolumes.queue.addRateLimited(request.volumeName);
      break;
    case "saved":
      reportSaved(c, volume);
  }
  c.state.outcomeCertain(uid);
  await removeFinalizerWhenSaved(c, c.unfinishedClaim(uid) ?? claim, signal);
  if (source?.kind === "snapshot") await releaseRestored(c, uid, source, signal);
  return undefined;
}

/** Retries to save a PersistentVolume, by name. */
export const reconcileUnsavedVolume =
  (c: ProvisionerContext): Reconcile =>
  async (name, signal) => {
    const volume = c.state.unsavedVolume(name);
    if (!volume) return done;
    const outcome = await createObject(c.kube, volume, signal);
    const uid = volume.spec?.claimRef?.uid ?? "";
    switch (outcome.kind) {
      case "invalid":
      case "failed":
        saveFailed(c, volume, outcome.error);
        throw outcome.error;
      case "other-claims":
        c.state.saveEnded(name);
        c.state.volumeGone(uid);
        break;
      case "saved":
        c.state.saveEnded(name);
        reportSaved(c, volume);
    }
    c.controllers.claims.enqueue(uid);
    return done;
  };

async function createObject(kube: Client, volume: V1PersistentVolume, signal: AbortSignal): Promise<SaveOutcome> {
  const options = apiCallOptions(signal);
  const name = volume.metadata?.name ?? "";
  try {
    await kube.create(PersistentVolume, volume, options);
    return { kind: "saved" };
  } catch (error) {
    if (isInvalid(error)) return { kind: "invalid", error: asError(error) };
    if (!isAlreadyExists(error)) return { kind: "failed", error: asError(error) };
    try {
      const found = await kube.get(PersistentVolume, { name }, options);
      if (isOfOtherClaim(found, volume))
        return { kind: "other-claims", error: new Error(messages.volumeOfOtherClaim(name), { cause: error }) };
      if (isSame(found, volume)) return { kind: "saved" };
      return { kind: "failed", error: new Error(messages.volumeAlreadyExists(name), { cause: error }) };
    } catch (unreadable) {
      return { kind: "failed", error: asError(unreadable) };
    }
  }
}

function isOfOtherClaim(found: V1PersistentVolume, volume: V1PersistentVolume): boolean {
  const handle = found.spec?.csi?.volumeHandle;
  return handle !== undefined && handle === volume.spec?.csi?.volumeHandle && found.spec?.claimRef?.uid !== volume.spec?.claimRef?.uid;
}

/** Whether an earlier attempt, whose response was lost, has saved the volume, and it is not being deleted. */
function isSame(found: V1PersistentVolume, volume: V1PersistentVolume): boolean {
  const sameClaim = found.spec?.claimRef?.uid === volume.spec?.claimRef?.uid;
  const sameSource = (found.spec?.csi?.volumeHandle ?? "") === (volume.spec?.csi?.volumeHandle ?? "");
  return sameClaim && sameSource && !found.metadata?.deletionTimestamp;
}

/** Remembers the volume, and warns its user when that has failed for long: without an API server there is nobody to tell. */
function saveFailed(c: ProvisionerContext, volume: V1PersistentVolume, error: Error): void {
  const now = c.clock.monotonic();
  const unsaved = c.state.saveFailed(volume, now);
  const claim = claimOf(c, volume);
  const isReportable = !(error instanceof TransportError) && !isAbort(error);
  if (claim && isReportable && isLasting(unsaved, now)) c.events.failed(claim, messages.volumeUnsaved(messageOf(error)));
}

function reportSaved(c: ProvisionerContext, volume: V1PersistentVolume): void {
  const claim = claimOf(c, volume);
  if (claim) c.events.provisioned(claim, volume.metadata?.name ?? "");
}

/** The claim that the volume was created for, unless it is gone. */
function claimOf({ claims }: ProvisionerContext, volume: V1PersistentVolume): Claim | undefined {
  const { uid, namespace = "", name = "" } = volume.spec?.claimRef ?? {};
  const claim = claims.get(refKey({ namespace, name }));
  return claim?.metadata.uid === uid ? claim : undefined;
}

function isRestoredByOthers(c: ProvisionerContext, uid: string, source: ProtectedSource): boolean {
  const key = sourceKey(source);
  const isRestored = (other: string) => other === uid || c.state.provisionedVolume(other) !== undefined;
  return c.claimsRestoring(key).some(({ metadata }) => !isRestored(metadata.uid)) || c.state.sourcesInUse("snapshot").has(key);
}

/** The last of several restores releases the snapshot: the others must not lose it. */
async function releaseRestored(c: ProvisionerContext, uid: string, source: ProtectedSource, signal: AbortSignal): Promise<void> {
  const isNeeded = () => isRestoredByOthers(c, uid, source);
  await releaseSnapshot(c, source.ref, isNeeded, apiCallOptions(signal)).catch((error: unknown) => {
    c.log.error(error, "Could not remove the finalizer of the restored snapshot; the next sweep removes it", {
      snapshot: sourceKey(source),
    });
  });
}
