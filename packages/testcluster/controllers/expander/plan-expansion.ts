import type { Claim, Volume } from "../fields.ts";
import { annotation } from "../names.ts";
import { storageSize } from "../sizes.ts";

/** Whether a change of a claim is worth a look: it asks for more, or it got more. */
export function growthBegan(old: Claim, claim: Claim): boolean {
  return (
    claim.status?.phase === "Bound" &&
    (storageSize(claim.spec?.resources?.requests) > storageSize(old.spec?.resources?.requests) ||
      storageSize(claim.status.capacity) > storageSize(old.status?.capacity))
  );
}

/** For CSI volumes the cluster only says that it waits for the external resizer; this is what it says, if anything. */
export function planExpansion(claim: Claim, volume: Volume | undefined): string | undefined {
  if (volume?.spec?.claimRef?.uid !== claim.metadata.uid) return undefined;
  const grows = storageSize(claim.spec?.resources?.requests) > storageSize(claim.status?.capacity);
  if (!grows && volume.metadata.annotations?.[annotation.preResizeCapacity] === undefined) return undefined;
  return "waiting for an external controller to expand this PVC";
}
