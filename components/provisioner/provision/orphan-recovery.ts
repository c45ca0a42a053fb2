import type { Clock } from "@csi-sidecars/base";
import { apiCallOptions, done, isClaimOurs, type Reconcile } from "@csi-sidecars/controller";
import {
  ignoreNotFound,
  type KubeObject,
  keyOf,
  PersistentVolume,
  PersistentVolumeClaim,
  type Priority,
  projectorFor,
  replayDeletedObjects,
} from "@csi-sidecars/kube";
import { type Claim, claimFields } from "../fields.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { volumeName } from "../volume-name.ts";

/*
 * A process that was killed may have called CreateVolume for a claim that is deleted by now, and not have lived to see the answer. Nobody
 * but the API server's history remembers such a claim. The driver is asked for its volume once more, and what it returns is deleted.
 */

/** Claims that were deleted longer ago are not considered: a process that is killed is restarted within minutes. */
const recentMs = 10 * 60_000;
/** About an hour with the default retry intervals. */
const maxAttempts = 20;

/** Whether `--cleanup-orphaned-volumes` has an effect. The finalizer remembers better, and a node does not know whose a deleted claim was. */
export function recoversOrphans({ settings, localNode }: Pick<ProvisionerContext, "settings" | "localNode">): boolean {
  return settings.cleanupOrphanedVolumes && !settings.inProgressFinalizer && !localNode;
}

/**
 * Finds the claims that were deleted without a volume shortly before the start, and enqueues them. A claim whose PersistentVolume was
 * deleted is not one of them: the driver would create a second volume for it, and a process after this one would not look for that. So
 * the cache is read before the history of PersistentVolumes, which does not have what is deleted meanwhile; a deletion by this process
 * ends the suspicion (`volumeReleased`).
 */
export async function findOrphanedVolumes(c: ProvisionerContext, signal: AbortSignal): Promise<void> {
  const { clock } = c;
  const project = projectorFor(claimFields);
  const candidates = new Map<string, Claim>();
  const onClaim = (object: KubeObject) => {
    const claim = project(object);
    const { deletionTimestamp, creationTimestamp } = object.metadata ?? {};
    // What has no finalizers is deleted without a timestamp; when it was created is then all that the history says.
    const since = deletionTimestamp ?? creationTimestamp;
    if (isRecent(since, clock) && mayHaveOrphanedVolume(claim, c)) candidates.set(claim.metadata.uid, claim);
  };
  /** By the name of the volume. */
  const suspected = new Map<string, Claim>();
  const onVolume = ({ metadata }: KubeObject) => {
    const claim = suspected.get(metadata?.name ?? "");
    if (claim) c.state.orphanResolved(claim.metadata.uid);
  };
  try {
    await replayDeletedObjects(c.kube, PersistentVolumeClaim, { clock, signal, onDelete: onClaim });
    for (const claim of candidates.values()) {
      const { uid } = claim.metadata;
      const volume = volumeName(c.settings.naming, uid).value ?? "";
      if (c.volumes.get(volume) || c.state.isInProgress(uid) || c.state.orphanCandidate(uid)) continue;
      suspected.set(volume, claim);
      c.state.orphanSuspected(claim, maxAttempts);
    }
    if (suspected.size > 0) await replayDeletedObjects(c.kube, PersistentVolume, { clock, signal, onDelete: onVolume });
  } catch (error) {
    for (const { metadata } of suspected.values()) c.state.orphanResolved(metadata.uid);
    if (!signal.aborted) c.log.error(error, "Could not read which claims were deleted recently");
    return;
  }
  for (const claim of suspected.values()) if (c.state.orphanCandidate(claim.metadata.uid)) askAbout(c, claim, "low");
}

/**
 * The same for a claim that existed when this process started, and is deleted before the driver has answered about it. Returns whether
 * it is enqueued.
 */
export function enqueueIfOrphaned(c: ProvisionerContext, claim: Claim): boolean {
  const { uid, deletionTimestamp } = claim.metadata;
  if (!c.state.mayHaveEarlierCall(uid) || !mayHaveOrphanedVolume(claim, c)) return false;
  if (deletionTimestamp !== undefined && !isRecent(deletionTimestamp, c.clock)) return false;
  c.state.orphanSuspected(claim, maxAttempts);
  askAbout(c, claim);
  return true;
}

function askAbout(c: ProvisionerContext, claim: Claim, priority?: Priority): void {
  c.log.info("A claim was deleted without a volume; asking the driver whether it has created one", { claim: keyOf(claim) });
  c.controllers.claims.enqueue(claim.metadata.uid, priority);
}

/** A shortened name may be that of another claim's volume, which must not be touched. */
function mayHaveOrphanedVolume(claim: Claim, { driver, settings }: ProvisionerContext): boolean {
  return !claim.spec?.volumeName && isClaimOurs(claim, driver) && settings.naming.uuidLength === -1;
}

function isRecent(timestamp: string | undefined, clock: Clock): boolean {
  return timestamp !== undefined && Date.parse(timestamp) > clock.now() - recentMs;
}

/**
 * Whether the API server has the very claim all the same: a list that is wrong leaves claims out. The volume of such a claim is no orphan,
 * and is retained if its class says so.
 */
async function exists({ kube }: ProvisionerContext, { metadata }: Claim, signal: AbortSignal): Promise<boolean> {
  const { name, namespace, uid } = metadata;
  const found = await ignoreNotFound(kube.get(PersistentVolumeClaim, { name, ...(namespace && { namespace }) }, apiCallOptions(signal)));
  return found !== undefined && (found.metadata?.uid ?? uid) === uid;
}

/**
 * Ends the recovery of an orphaned volume when the driver has returned it or finds the request invalid, or after too many attempts. Other
 * errors do not say that there is no volume: neither those of the driver (its backend may be away, the source may be deleted meanwhile),
 * nor those of what the request is made from.
 */
export const withOrphanRecovery =
  (c: ProvisionerContext, reconcile: Reconcile): Reconcile =>
  async (uid, signal) => {
    const suspected = c.state.orphanCandidate(uid);
    const candidate = suspected && (await exists(c, suspected.claim, signal)) ? undefined : suspected;
    if (suspected && !candidate) c.state.orphanResolved(uid);
    try {
      const result = await reconcile(uid, signal);
      // A claim that was deleted during the reconcile is still to be asked for.
      if (candidate) c.state.orphanResolved(uid);
      return result;
    } catch (error) {
      if (!candidate || signal.aborted || c.state.isInProgress(uid)) throw error;
      if (!c.state.orphanCandidate(uid)) return done;
      const { claim, attempts } = candidate;
      if (attempts > 1) {
        c.state.orphanSuspected(claim, attempts - 1);
        throw error;
      }
      c.state.orphanResolved(uid);
      const volume = volumeName(c.settings.naming, uid).value;
      c.log.error(error, "Gave up looking for the orphaned volume of a deleted claim", { claim: keyOf(claim), volume });
      return done;
    }
  };
