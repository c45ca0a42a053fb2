import { isClaimOurs } from "@csi-sidecars/controller";
import { classifyFailure } from "@csi-sidecars/csi";
import { done, type KubeObject, PersistentVolume, PersistentVolumeClaim, type Reconcile, replayDeletedObjects } from "@csi-sidecars/kube";
import { translateVolume } from "@csi-sidecars/translation";
import type { Claim, Volume } from "../fields.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { volumeName } from "./volume-name.ts";

/** A claim that is gone, and how often its volume is still asked for where the driver cannot be reached or the claim cannot be prepared. */
export interface DeletedClaim {
  readonly claim: Claim;
  tries: number;
}

/** Longer ago nobody waited for an answer any more: processes are restarted within minutes. */
const recentMs = 10 * 60_000;
const mostTries = 8;

/**
 * `--recall-deleted-claims`: finds the claims that were deleted without a volume shortly before now. A process that was killed may have
 * asked the driver for it and not have lived to see the answer; nobody but the API server's history remembers. `look` puts them to work.
 */
export async function recallDeletedClaims(
  c: ProvisionerContext,
  project: (object: KubeObject) => Claim,
  look: (uid: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const found = new Map<string, Claim>();
  const settled = new Set<string>();
  const remember = (object: KubeObject) => {
    const claim = project(object);
    if (mayHaveBeenAskedFor(claim, c)) found.set(claim.metadata.uid, claim);
  };
  // Its volume was made and deleted: there is nothing to be asked.
  const settle = ({ metadata }: KubeObject) => void settled.add(metadata?.name ?? "");
  const { clock } = c;
  try {
    await replayDeletedObjects(c.kube, PersistentVolumeClaim, { clock, signal, onDelete: remember });
    if (found.size > 0) await replayDeletedObjects(c.kube, PersistentVolume, { clock, signal, onDelete: settle });
  } catch (error) {
    if (!signal.aborted) c.log.error(error, "Could not read which claims were deleted lately");
    return;
  }
  for (const claim of found.values()) {
    const { uid } = claim.metadata;
    const volume = volumeName(c.settings.naming, uid).value ?? "";
    if (settled.has(volume) || c.volumes.get(volume) || c.memory.inProgress.has(uid)) continue;
    recall(c, claim);
    look(uid);
  }
}

/**
 * The same for a claim that was there when this process began and goes before the driver has said anything about it. Answers whether
 * there is something to be asked.
 */
export function recallInherited(c: ProvisionerContext, claim: Claim): boolean {
  if (!mayHaveBeenAskedFor(claim, c)) return false;
  recall(c, claim);
  return true;
}

function recall(c: ProvisionerContext, claim: Claim): void {
  const { uid, namespace, name } = claim.metadata;
  c.log.info("A claim was deleted without a volume, the driver is asked whether it has made one", { claim: `${namespace}/${name}` });
  c.memory.recalled.set(uid, { claim, tries: mostTries });
}

/** A shortened name may be another claim's, whose volume must not be touched. */
function mayHaveBeenAskedFor(claim: Claim, { driver, settings, clock }: ProvisionerContext): boolean {
  if (claim.spec?.volumeName || !isClaimOurs(claim, driver) || settings.naming.uuidLength !== -1) return false;
  const { deletionTimestamp } = claim.metadata;
  return deletionTimestamp === undefined || Date.parse(deletionTimestamp) > clock.now() - recentMs;
}

/** Works on claims; on one that was recalled until the driver has given its last word, or it cannot be asked again and again. */
export const recalling =
  (c: ProvisionerContext, reconcile: Reconcile): Reconcile =>
  async (uid, signal) => {
    const recalled = c.memory.recalled.get(uid);
    try {
      const result = await reconcile(uid, signal);
      // One that was deleted meanwhile is still to be asked for.
      if (recalled) c.memory.recalled.delete(uid);
      return result;
    } catch (error) {
      if (!recalled || signal.aborted || c.memory.inProgress.has(uid)) throw error;
      const isLastWord = classifyFailure("createVolume", error).kind === "final";
      if (!isLastWord && --recalled.tries > 0) throw error;
      c.memory.recalled.delete(uid);
      const { namespace, name } = recalled.claim.metadata;
      c.log.error(error, "No volume is known of a claim that was deleted; it is not asked for again", { claim: `${namespace}/${name}` });
      return done;
    }
  };

/** The name of a PersistentVolume that has the driver's volume, perhaps as the in-tree plugin's: then it is not ours to delete. */
export function ownerOf(volumes: readonly Volume[], driver: string, volumeId: string): string | undefined {
  const owner = volumes.find((volume) => {
    const csi = volume.spec?.csi ?? translateVolume(volume)?.value?.csi;
    return csi?.driver === driver && csi.volumeHandle === volumeId;
  });
  return owner?.metadata.name;
}
