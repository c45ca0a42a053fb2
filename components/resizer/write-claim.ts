import { apiCallOptions, isLaterVersion } from "@csi-sidecars/controller";
import { isConflict, isNotFound, keyOf, PersistentVolumeClaim, projectorFor } from "@csi-sidecars/kube";
import { claimPatch, type WantedClaim } from "./claim-patch.ts";
import { type Claim, claimFields } from "./fields.ts";
import type { ResizerContext } from "./resizer-context.ts";

/** What a claim shall become, given its newest state; `undefined` where that state wants no change any more. */
export type ClaimChange = (claim: Claim) => WantedClaim | undefined;

/** How often a change is planned anew for a claim that others change at the same time, before the reconcile fails. */
const maxConflicts = 5;

type WriteContext = Pick<ResizerContext, "kube" | "claims" | "claimWrites">;

const project = projectorFor(claimFields);

/**
 * Writes the status of a claim. If somebody else wrote in between, the change is planned again for the newest state, so that a call
 * whose result is being saved is never repeated for a conflict. Returns the claim as it is then; `undefined` if it is gone, even
 * if another one has its name.
 */
export function writeClaim(c: WriteContext, claim: Claim, change: ClaimChange, signal: AbortSignal): Promise<Claim | undefined> {
  return c.claimWrites.run(keyOf(claim), () => writeNewest(c, claim, change, signal));
}

async function writeNewest(c: WriteContext, claim: Claim, change: ClaimChange, signal: AbortSignal): Promise<Claim | undefined> {
  const { name, namespace, uid } = claim.metadata;
  const ref = { name, namespace };
  const options = apiCallOptions(signal);
  let newest = newestOf(claim, c.claims.get(keyOf(claim)));
  for (let conflicts = 0; ; conflicts++) {
    if (newest.metadata.uid !== uid) return undefined;
    const wanted = change(newest);
    const patch = wanted && claimPatch(newest, wanted);
    if (!patch) return newest;
    try {
      return await c.claims.write(keyOf(claim), () =>
        c.kube.patch(PersistentVolumeClaim, ref, patch, { ...options, subresource: "status" }),
      );
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || conflicts >= maxConflicts) throw error;
    }
    const read = await c.kube.get(PersistentVolumeClaim, ref, options).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!read) return undefined;
    newest = project(read);
  }
}

/** A claim that was read because of a conflict is ahead of the watch. */
function newestOf(claim: Claim, cached: Claim | undefined): Claim {
  if (!cached) return claim;
  const isAhead = isLaterVersion(claim.metadata.resourceVersion, cached.metadata.resourceVersion);
  return isAhead && claim.metadata.uid === cached.metadata.uid ? claim : cached;
}
