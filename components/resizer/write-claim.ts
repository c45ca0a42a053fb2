import { apiCallOptions, patchNewest } from "@csi-sidecars/controller";
import { keyOf, PersistentVolumeClaim, projectorFor } from "@csi-sidecars/kube";
import { claimPatch, type WantedClaim } from "./claim-patch.ts";
import { type Claim, claimFields } from "./fields.ts";
import type { ResizerContext } from "./resizer-context.ts";

/** What a claim shall become, given its newest state; `undefined` where that state wants no change any more. */
export type ClaimChange = (claim: Claim) => WantedClaim | undefined;

type WriteContext = Pick<ResizerContext, "kube" | "claims" | "claimWrites">;

const project = projectorFor(claimFields);

/**
 * Writes the status of a claim. If somebody else wrote in between, the change is planned again for the newest state, so that a call
 * whose result is being saved is never repeated for a conflict. Returns the claim as it is then; `undefined` if it is gone, even
 * if another one has its name.
 */
export function writeClaim(c: WriteContext, claim: Claim, change: ClaimChange, signal: AbortSignal): Promise<Claim | undefined> {
  const target = { kube: c.kube, resource: PersistentVolumeClaim, cache: c.claims, project };
  const plan = (newest: Claim) => {
    const wanted = change(newest);
    return wanted && claimPatch(newest, wanted);
  };
  const options = { ...apiCallOptions(signal), subresource: "status" } as const;
  return c.claimWrites.run(keyOf(claim), () => patchNewest(target, claim, plan, options));
}
