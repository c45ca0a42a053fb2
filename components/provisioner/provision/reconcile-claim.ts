import { done, type Reconcile, requeueAfter } from "@csi-sidecars/kube";
import type { VolumeChange } from "../capacity/volume-change.ts";
import type { Claim } from "../fields.ts";
import { forgetClaim, sourceKey } from "../memory.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { beginClaim } from "./begin-claim.ts";
import { type CreateEnd, createVolume } from "./create-volume.ts";
import { ownerOf } from "./deleted-claims.ts";
import { failed, report } from "./failed-attempt.ts";
import { restOf } from "./infeasible-rest.ts";
import { Left } from "./left.ts";
import { isVolumeMissed } from "./missed-volume.ts";
import type { Preparation } from "./preparation.ts";
import { saveVolume } from "./save-volume.ts";
import { unmarkWhenSettled } from "./unmark-claim.ts";
import { anothersVolume } from "./unsaved-volumes.ts";
import { volumeName } from "./volume-name.ts";

/**
 * Provides the volume of a claim, named by its uid. A claim whose call may be running goes on although it was deleted, until the
 * driver has answered: the volume then gets its PersistentVolume, is released and deleted like any other.
 */
export const reconcileClaim =
  (c: ProvisionerContext): Reconcile =>
  (uid, signal) =>
    c.locks.run(uid, async () => {
      const known = c.memory.inProgress.get(uid);
      const claim = c.claimOf(uid) ?? known?.claim ?? c.memory.recalled.get(uid)?.claim;
      if (!claim) return done;
      if (await hasVolume(c, claim, signal)) {
        await unmarkWhenSettled(c, claim, signal);
        return done;
      }
      const rest = restOf(c, claim);
      if (rest !== undefined) return requeueAfter(rest);
      const started = c.clock.monotonic();
      let preparation: Preparation | undefined;
      try {
        preparation = known ?? (await beginClaim(c, claim, signal));
        if (!preparation) return done;
        await attempt(c, preparation, { started, signal });
        return done;
      } catch (error) {
        if (!(error instanceof Left)) throw error;
        return error.result;
      } finally {
        // Bound or gone meanwhile: the watch told that before this attempt wrote down what it learned.
        if (!c.claimOf(uid)) {
          forgetClaim(c.memory, uid);
          if (preparation?.source?.kind === "claim") c.cloneEnded(sourceKey(preparation.source));
        }
      }
    });

/** Whether the claim's volume is there already, or on its way to the API server. */
async function hasVolume(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<boolean> {
  const { uid } = claim.metadata;
  const name = volumeName(c.settings.naming, uid).value;
  if (name === undefined) return false;
  const volume = c.volumes.get(name);
  if (!c.memory.provisioned.has(uid) && !volume) return false;
  if (volume && volume.spec?.claimRef?.uid !== uid) {
    const error = new Error(anothersVolume(name));
    report(c, claim, error, signal);
    throw error;
  }
  if (!volume && !c.unsaved.has(name) && (await isVolumeMissed(c, claim, name, signal))) {
    c.memory.provisioned.delete(uid);
    return false;
  }
  c.memory.inProgress.delete(uid);
  return true;
}

async function attempt(
  c: ProvisionerContext,
  preparation: Preparation,
  { started, signal }: { readonly started: number; readonly signal: AbortSignal },
): Promise<void> {
  const { claim } = preparation;
  if (c.memory.inProgress.has(claim.metadata.uid)) c.events.provisioning(claim);
  const end = await asking(c, preparation, () => createVolume(c, preparation, signal));
  if (end.kind !== "unchanged") {
    c.memory.inherited.delete(claim.metadata.uid);
    c.roomChanged(roomChangeOf(preparation, end));
  }
  if (end.kind !== "created") return failed(c, preparation, end, signal);
  if (c.memory.recalled.has(claim.metadata.uid) && ownerOf(c.volumes.list(), c.driver.name, end.volumeId) !== undefined) return;
  await saveVolume(c, preparation, end, signal);
  c.metrics.provisioned(claim, (c.clock.monotonic() - started) / 1000);
}

/** A volume's place is known when it is there; after a failure all places of the class help to choose a node anew. */
function roomChangeOf({ class: of }: Preparation, end: CreateEnd): VolumeChange {
  return { className: of.metadata.name, nodeAffinity: end.kind === "created" ? end.volume.spec?.nodeAffinity : undefined };
}

async function asking<T>({ memory }: ProvisionerContext, preparation: Preparation, call: () => Promise<T>): Promise<T> {
  const { uid } = preparation.claim.metadata;
  memory.asking.set(uid, preparation);
  try {
    return await call();
  } finally {
    memory.asking.delete(uid);
  }
}
