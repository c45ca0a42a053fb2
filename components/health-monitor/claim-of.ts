import type { View } from "@csi-sidecars/kube";
import type { Claim, Volume } from "./fields.ts";

/** The claim that a volume of the driver is bound to and that exists: the one that events about the volume belong to. */
export function claimOf<C extends Claim>(volume: Volume, driver: string, claims: Pick<View<C>, "get">): C | undefined {
  const { csi, claimRef } = volume.spec ?? {};
  if (csi?.driver !== driver || volume.status?.phase !== "Bound" || !claimRef?.namespace || !claimRef.name) return undefined;
  const claim = claims.get(`${claimRef.namespace}/${claimRef.name}`);
  // A claim of that name that was created anew has nothing to do with the volume.
  return claimRef.uid && claim?.metadata.uid !== claimRef.uid ? undefined : claim;
}
