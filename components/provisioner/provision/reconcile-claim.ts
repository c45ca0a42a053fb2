import { asError } from "@csi-sidecars/base";
import { isAbort, isInvalid, type Reconcile, type Requeue, requeueAfter } from "@csi-sidecars/kube";
import type { VolumeChange } from "../capacity/volume-change.ts";
import type { Claim, Class } from "../fields.ts";
import { forgetClaim, sourceKey, sourcesInUse } from "../memory.ts";
import { compete } from "../node/node-competition.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { apiTimeoutMs } from "../settings.ts";
import { releaseSnapshot } from "../source/protect-source.ts";
import { type CreateEnd, createVolume, takeBackUnsaved } from "./create-volume.ts";
import { ownerOf } from "./deleted-claims.ts";
import { isMarkedInProgress, markInProgress, unmarkInProgress } from "./in-progress-mark.ts";
import { restOf } from "./infeasible-rest.ts";
import { isVolumeMissed } from "./missed-volume.ts";
import { planProvision } from "./plan-provision.ts";
import type { Preparation, ProtectedSource, Refusal } from "./preparation.ts";
import { prepare } from "./prepare.ts";
import { canReschedule, rescheduleClaim } from "./reschedule-claim.ts";
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
      if (!claim) return;
      if (await hasVolume(c, claim, signal)) return unmarkWhenSettled(c, claim, signal);
      const rest = restOf(c, claim);
      if (rest !== undefined) return requeueAfter(rest);
      const started = c.clock.monotonic();
      let preparation: Preparation | undefined;
      try {
        preparation = known ?? (await begin(c, asBegun(c, claim), signal));
        if (!preparation) return;
        await attempt(c, preparation, { started, signal });
      } catch (error) {
        if (!(error instanceof Left)) throw error;
        return error.requeue;
      } finally {
        // Bound or gone meanwhile: the watch told that before this attempt wrote down what it learned.
        if (!c.claimOf(uid)) {
          forgetClaim(c.memory, uid);
          if (preparation?.source?.kind === "claim") c.cloneEnded(sourceKey(preparation.source));
        }
      }
    });

/** Ends a reconcile of a claim without a failure: there is nothing to be done now. */
class Left extends Error {
  readonly requeue: Requeue | undefined;
  constructor(requeue?: Requeue) {
    super("left as it is");
    this.requeue = requeue;
  }
}

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

/**
 * A claim with the mark that has another volume by now: the driver may be making one for it all the same, and only the driver's word
 * ends that. The cluster releases a volume whose claim has another one.
 */
function asBegun({ settings }: ProvisionerContext, claim: Claim): Claim {
  const { volumeName: bound, ...spec } = claim.spec ?? {};
  const elsewhere = bound && bound !== volumeName(settings.naming, claim.metadata.uid).value;
  return elsewhere && isMarkedInProgress(claim) ? { ...claim, spec } : claim;
}

async function begin(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<Preparation | undefined> {
  const plan = planProvision(claim, (name) => c.classes.get(name), c.driver);
  if (plan.step === "none") {
    if (isMarkedInProgress(claim)) await unmark(c, claim, signal);
    return undefined;
  }
  if (plan.step === "report") {
    c.metrics.provisionFailed(claim);
    throw new Error(plan.message);
  }
  if (c.settings.persistInProgress && claim.metadata.deletionTimestamp && !isMarkedInProgress(claim)) return undefined;
  const whose = c.ownNode ? await compete(c, c.ownNode, { claim, class: plan.class }, signal) : "own";
  if (whose !== "own") throw new Left(whose);
  c.events.provisioning(claim);
  // Nobody has ever used the volume of a claim that was recalled: it is not kept, whatever its class says.
  const of: Class = c.memory.recalled.has(claim.metadata.uid) ? { ...plan.class, reclaimPolicy: "Delete" } : plan.class;
  const preparation = await prepare(c, { claim, class: of, selectedNode: plan.selectedNode }, signal).catch((error: unknown) => {
    report(c, claim, asError(error), signal);
    throw error;
  });
  if (!("refused" in preparation)) {
    const safe = !c.settings.persistInProgress || (await markInProgress(c.kube, claim, { signal, timeoutMs: apiTimeoutMs }));
    if (!safe) throw new Left();
    return preparation;
  }
  return refused(c, claim, preparation, signal);
}

async function refused(c: ProvisionerContext, claim: Claim, { refused: why, error }: Refusal, signal: AbortSignal): Promise<never> {
  if (why === "populator") {
    c.events.leftToPopulator(claim);
    throw new Left();
  }
  report(c, claim, error, signal);
  if (why === "reschedule" && canReschedule(claim)) await giveBack(c, claim, signal);
  throw error;
}

async function attempt(
  c: ProvisionerContext,
  preparation: Preparation,
  { started, signal }: { readonly started: number; readonly signal: AbortSignal },
): Promise<void> {
  const { claim } = preparation;
  if (c.memory.inProgress.has(claim.metadata.uid)) c.events.provisioning(claim);
  const end = await asking(c, preparation, () => createVolume(c, preparation, signal));
  if (end.kind !== "unchanged") c.roomChanged(roomChangeOf(preparation, end));
  if (end.kind !== "created") return failed(c, preparation, end, signal);
  if (c.memory.recalled.has(claim.metadata.uid) && ownerOf(c.volumes.list(), c.driver.name, end.volumeId) !== undefined) return;
  await save(c, preparation, end, signal);
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

async function failed(
  c: ProvisionerContext,
  preparation: Preparation,
  { kind, error }: Exclude<CreateEnd, { kind: "created" }>,
  signal: AbortSignal,
): Promise<void> {
  const { claim, class: of } = preparation;
  const { uid } = claim.metadata;
  if (kind === "uncertain") c.memory.inProgress.set(uid, preparation);
  else if (kind !== "unchanged") c.memory.inProgress.delete(uid);
  if (kind === "infeasible") {
    c.memory.infeasible.set(uid, { at: c.clock.monotonic(), classUid: of.metadata.uid });
    c.metrics.provisionFailed(claim);
    c.events.infeasible(claim, error.message);
    c.log.error(error, "The driver will not provide the volume", { claim: `${claim.metadata.namespace}/${claim.metadata.name}` });
    await unmark(c, claim, signal);
    throw new Left(c.claimOf(uid) && requeueAfter(c.settings.infeasibleRestMs));
  }
  report(c, claim, error, signal);
  // A claim that was found with its mark may have a call of an earlier process running: only the driver's word ends that.
  const mayRun = c.memory.inProgress.has(uid) || (kind === "unchanged" && isMarkedInProgress(claim));
  if (!mayRun) await unmark(c, claim, signal);
  if (kind === "reschedule" && c.claimOf(uid) && canReschedule(claim)) await giveBack(c, claim, signal);
  throw error;
}

/** The claim's volume is on record. While the cluster binds the two it writes the claim, so we wait for our turn, but for no deleted claim. */
async function unmarkWhenSettled(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<void> {
  if (c.unsaved.has(c.memory.provisioned.get(claim.metadata.uid) ?? "")) return;
  if (claim.metadata.deletionTimestamp || claim.status?.phase === "Bound") await unmark(c, claim, signal);
}

/** Nothing is running for the claim any more: it may go. */
async function unmark(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<void> {
  const now = c.claimOf(claim.metadata.uid) ?? claim;
  if (!c.settings.persistInProgress && !isMarkedInProgress(now)) return;
  await unmarkInProgress(c.kube, now, { signal, timeoutMs: apiTimeoutMs });
}

async function giveBack(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<never> {
  await rescheduleClaim(c.kube, claim, { signal, timeoutMs: apiTimeoutMs });
  c.memory.nodeProblems.delete(claim.metadata.uid);
  throw new Left();
}

/** Work that nobody wants any more has no error. */
function report(c: ProvisionerContext, claim: Claim, error: Error, signal: AbortSignal): void {
  if (signal.aborted || isAbort(error)) return;
  c.metrics.provisionFailed(claim);
  c.events.failed(claim, error.message);
}

async function save(
  c: ProvisionerContext,
  preparation: Preparation,
  { volume, volumeId }: Extract<CreateEnd, { kind: "created" }>,
  signal: AbortSignal,
): Promise<void> {
  const { claim, source } = preparation;
  const { uid } = claim.metadata;
  c.memory.provisioned.set(uid, preparation.volumeName);
  c.memory.nodeProblems.delete(uid);
  try {
    await c.unsaved.save(volume, signal);
  } catch (error) {
    c.memory.provisioned.delete(uid);
    const refusal = asError(error);
    const invalid = isInvalid(error);
    const end = invalid
      ? await takeBackUnsaved(c, preparation, { volumeId, refusal }, signal)
      : ({ kind: "final", error: refusal } as const);
    return failed(c, preparation, end, signal);
  }
  c.memory.inProgress.delete(uid);
  await unmarkWhenSettled(c, c.claimOf(uid) ?? claim, signal);
  if (source?.kind !== "snapshot" || isRestoredByOthers(c, uid, source)) return;
  await releaseSnapshot(c.kube, source, { signal, timeoutMs: apiTimeoutMs }).catch((error: unknown) => {
    c.log.error(error, "Could not let the restored snapshot go; the sweep will", {
      snapshot: `${source.ref.namespace}/${source.ref.name}`,
    });
  });
}

/** Who is last lets the snapshot go: others that are filled from it must not lose it. */
function isRestoredByOthers(c: ProvisionerContext, uid: string, source: ProtectedSource): boolean {
  const key = sourceKey(source);
  const isFilled = (other: string) => other === uid || c.memory.provisioned.has(other);
  return c.restoresOf(key).some(({ metadata }) => !isFilled(metadata.uid)) || sourcesInUse(c.memory, "snapshot").has(key);
}
